// Package storetest is the one suite that every [guard.Store] passes.
//
// A backend runs it from its own tests with [Run]. What it asks for is what the
// documentation of [guard.Store] and [guard.Tx] promises and nothing about how a backend
// keeps it; what a backend does when its process dies is for its own tests.
package storetest
