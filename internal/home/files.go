package home

import "io/fs"

// The names inside a home. All are relative to [Home.Dir] and use forward slashes.
const (
	FileStore       = "hearsay.db"        // SQLite store: ledger, records, sessions
	FileLock        = "lock"              // the lock that [Home.Lock] takes
	FileLedgerKey   = "ledger.key"        // secret: note signer of checkpoints
	FileLedgerPub   = "ledger.pub"        // note verifier of checkpoints
	FileIndexKey    = "index.key"         // secret: 32 bytes, store-keyed HMAC
	FilePolicy      = "policy.yaml"       // the policy as a person edits it
	FilePolicyCases = "policy.cases.yaml" // cases that `policy test` runs
	FileConfig      = "config.json"       // Config
	DirSigned       = "signed"            // policies that a reviewer signed, by SHA-256
	DirReviewers    = "reviewers"         // one encrypted key file a reviewer
	DirProfiles     = "profiles"          // profiles of memory servers that a person added
	DirLost         = "lost"              // sessions whose hook could not reach the store
	DirLocks        = "locks"             // locks of LockNamed
	DirMemory       = "memory"            // own memory, a folder a principal: see package memory
)

// DirMode and FileMode are the only modes that a home has.
const (
	DirMode  fs.FileMode = 0o700
	FileMode fs.FileMode = 0o600
)

// File describes one entry of a home for people: `doctor` and the documentation print it.
type File struct {
	Name      string      // relative to the home; <…> stands for a variable part
	Mode      fs.FileMode // permission bits that Check wants
	Secret    bool        // reading it is already an attack
	Holds     string      // what is in it
	ChangedBy string      // which of our own commands writes it
	Gain      string      // what somebody who can change (or, if Secret, read) it gains
}

// Files returns the trust sentence of every entry in a home, in the order in which people should read them. Every
// entry can be changed by its owner, by root, and by an agent that runs with the owner's rights without a sandbox;
// the column Gain says what that buys them, and which check notices. The caller owns the slice.
func Files() []File {
	return []File{
		{FileStore, FileMode, true, "ledger, records, held text, sessions", "every command, under the lock",
			"Reading shows held text. Changing an entry breaks the Merkle tree and verify names it; replacing the whole file, or cutting its end, is found only beside a checkpoint that was copied elsewhere."},
		{FileLedgerKey, FileMode, true, "private key that signs checkpoints", "init",
			"Can sign checkpoints for another history. Copies made before that still contradict it."},
		{FileLedgerPub, FileMode, false, "public key that verifies checkpoints", "init",
			"Can make verify trust another signer on this machine; a verifier that keeps its own copy of the key is not misled."},
		{FileIndexKey, FileMode, true, "key of the look-up and re-ingestion HMAC", "init",
			"Reading lets a guess at some text be confirmed against the store. Changing it makes look-ups miss, so erased text can come in again; no label rises."},
		{FilePolicy, FileMode, false, "the policy as edited", "a person's editor; init",
			"Nothing by itself: a policy is in force only when a reviewer signed its hash; the edit is announced and the last signed one stays."},
		{FilePolicyCases, FileMode, false, "cases for `policy test`", "a person's editor; init",
			"Can make a bad policy look tested to the person who is about to sign it."},
		{DirSigned + "/<sha256>.yaml", FileMode, false, "policies that were signed", "policy sign",
			"Nothing: the file's hash must be its name and must be signed in the ledger. Deleting it leaves no readable policy, and writes are held."},
		{DirReviewers + "/<name>.json", FileMode, true, "a reviewer's public key and encrypted private key", "init, reviewer commands",
			"Reading allows guessing the passphrase offline. A replaced public key is not the one enrolled in the ledger, so its signatures are refused."},
		{DirProfiles + "/<name>.yaml", FileMode, false, "profiles of memory servers that are not shipped", "a person's editor",
			"Can have writes of that one server taken for reads, so they are stored unasked. It is not signed; what the store returns is then text that nobody was seen writing."},
		{FileConfig, FileMode, false, "principal, log id and origin, where checkpoint copies go", "init, checkpoint",
			"Can stop checkpoint copies or send them elsewhere, and can name another principal for this machine's surfaces; doctor compares both with the ledger."},
		{FileLock + ", " + FileLock + queueSuffix, FileMode, false, "nothing; their locks order writers", "every command",
			"Holding the lock denies service: each command gives up at its deadline and denies. Deleting it lets two writers meet; SQLite's own lock still orders them."},
		{DirLost + "/<hash>", FileMode, false, "nothing; each names a session whose hook could not seal a read", "hooks",
			"Deleting one hides that read: the session stays as clean as it was. Making one taints a session."},
		{DirLocks + "/<hash>", FileMode, false, "nothing; serialise calls to one downstream store", "proxies",
			"The same, for one downstream store."},
		{DirMemory + "/<principal>/index.db", FileMode, true, "search index over the memories, with their words folded", "every use of the memory",
			"Reading shows what is remembered. Changing it can hide a memory or bend the order of answers until it is made again; what is recalled, and as whose word, is read from the ledger. Deleting it costs the time to make it again."},
		{DirMemory + "/<principal>/life.db", FileMode, false, "when trusted memories were last used, and which together; no words", "recall, sleep",
			"Can make trusted memories rank and fade as others did; the bounds of their origin hold. Deleting it forgets what use has taught."},
		{DirMemory + "/<principal>/notes/…", FileMode, true, "the memories as Markdown, for people and agents to read", "every use of the memory",
			"Reading shows what is remembered. Changing a file changes what those who read the folder see, and nothing that is recalled; audit names it."},
	}
}

// secret reports whether a file may be read by its owner alone.
func secret(name string) bool {
	switch name {
	case FileLedgerKey, FileIndexKey, FileStore:
		return true
	}
	return false
}

// known reports whether a top-level name is one that Hearsay itself makes. Create refuses a directory that holds
// anything else, so that `--home ~` or `--home .` never turns a person's own folder into a home.
func known(name string) bool {
	switch name {
	case FileStore, FileStore + "-wal", FileStore + "-shm", FileStore + "-journal",
		FileLock, FileLock + queueSuffix, FileLedgerKey, FileLedgerPub, FileIndexKey,
		FilePolicy, FilePolicyCases, FileConfig, DirSigned, DirReviewers, DirProfiles, DirLocks, DirLost, DirMemory:
		return true
	}
	return false
}
