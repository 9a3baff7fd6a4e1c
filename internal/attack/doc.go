// Package attack plays named attacks against a running guard, and says whether each
// was stopped.
//
// A scenario is one txtar file: its comment is the story, its script the moves. The
// same script is played at every surface that has a door for it, in a home of its own
// with a real store, so that no surface can be softer than another.
package attack
