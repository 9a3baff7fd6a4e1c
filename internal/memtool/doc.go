// Package memtool is the client side of Anthropic's memory tool, memory_20250818: its
// six commands over a folder of files of which each line answers who said it.
//
// The model names files below /memories. They are guarded files like an agent's own
// notes: a write is decided by the guard before it is made, lands as lines with an owner,
// and a held one is made by its release just as it was held (package memfile). What a view
// shows is sealed as taken in before it is returned, and marked by origin (package mark).
//
// Replies begin with the words that models know from the reference implementations.
// They hold no word of a file that was not asked for, and none of what is held.
package memtool
