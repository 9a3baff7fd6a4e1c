// Package instance puts the parts together: a home becomes a running guard over its
// store, with the signed policy in force. Commands, the demo and the attack
// scenarios all start here, so they guard alike.
package instance
