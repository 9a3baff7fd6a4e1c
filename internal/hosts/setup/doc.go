// Package setup plans what becomes of the settings of the agent hosts on this machine: what
// people call the hosts and which are here, which programs of ours go into their settings,
// whose settings are meant and where those lie. It reads only. What an entry looks like
// and how it is written is package install's.
package setup
