// Package source classifies: it says which origin a source speaks with, how far
// it carries and under which tag it taints.
//
// A [Table] is data. [Default] is the table that ships; a policy puts entries of
// its own before it. Nothing here reads a payload: the type and the actor of a
// source come from the surface that saw it. Whatever a table does not know is
// external, sinks the session and taints as unknown.
package source
