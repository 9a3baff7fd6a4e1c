// Package mark makes what an agent sees around recalled text: markers, notices,
// headings and receipts. It is pure; nonces come in as values.
//
// Everything that the package mints begins with a square bracket and the word
// hearsay, except a receipt, which begins with ◉ and the word memory. Neither can
// come out of a text: look-alikes are neutralised before the text is framed
// ([Defang]), so whatever an agent sees in that form was minted by the engine.
// The nonce says the same a second time.
//
// Markers carry no authority on the way in. Text that arrives with one is judged
// like any other, only that it can no longer pass as anything better than
// external ([HasMarkers]).
//
// The wording states what the text is and asks for nothing. A frame that gave
// orders would itself read like an attack, and would weaken every other order.
package mark
