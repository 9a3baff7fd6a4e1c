package shell

import "sync"

// mark is what a name in a program can do.
type mark uint16

const (
	markNet         mark = 1 << iota // reaches the network
	markRun                          // starts a program
	markRunIfModule                  // does where a module that starts programs is named
	markModule                       // is such a module
	markOpen                         // opens a file, in a mode that an argument says
	markRead                         // reads files
	markWrite                        // writes files
	markRemove                       // deletes files
	markDestroy                      // deletes whole trees
	markDynamic                      // makes code from text, or hides text
)

// codeMarks are names of functions, methods and modules of the usual languages,
// whichever it is: a name that means something else in another language is rare.
var codeMarks = sync.OnceValue(func() map[string]mark {
	all := make(map[string]mark, 256)
	for m, names := range map[mark][]string{
		markNet: {"urllib", "urllib2", "urllib3", "requests", "httpx", "aiohttp", "socket", "urlopen", "urlretrieve", "smtplib", "ftplib", "telnetlib", "poplib", "imaplib", "paramiko", "boto3", "xmlrpc",
			"websocket", "websockets", "fetch", "axios", "undici", "superagent", "XMLHttpRequest", "WebSocket", "dgram", "tls", "http", "https", "http2", "net", "dns", "got",
			"Net", "HTTP", "URI", "HTTParty", "Faraday", "TCPSocket", "UDPSocket", "Socket", "LWP", "curl_exec", "curl_init", "fsockopen", "stream_socket_client", "HttpClient", "pycurl", "grpc", "httplib", "http_get"},
		markRun: {"system", "popen", "Popen", "check_output", "check_call", "getoutput", "getstatusoutput", "execSync", "execFile", "execFileSync", "spawnSync", "spawn", "exec", "qx", "shell_exec", "passthru",
			"proc_open", "pcntl_exec", "popen3", "popen2", "capture2", "capture2e", "capture3", "execvp", "execv", "execve", "execl", "execlp", "spawnl", "spawnv", "spawnlp", "posix_spawn", "create_subprocess_shell", "create_subprocess_exec", "execute", "startfile", "readpipe"},
		markRunIfModule: {"run", "call", "fork", "sh"},
		markModule:      {"subprocess", "child_process", "Open3", "pty", "pexpect", "sh", "plumbum", "execa", "shelljs", "Kernel", "Process"},
		markOpen:        {"open", "fopen", "openSync", "File", "sysopen"},
		markRead: {"read", "readFile", "readFileSync", "read_text", "read_bytes", "readlines", "createReadStream", "file_get_contents", "load", "loads", "Path", "glob", "iglob", "listdir", "scandir", "walk", "readdir", "readdirSync",
			"opendir", "readlink", "fileinput", "read_csv", "slurp", "getline", "require", "include", "IO", "linecache", "mmap"},
		markWrite: {"write_text", "write_bytes", "writeFile", "writeFileSync", "appendFile", "appendFileSync", "createWriteStream", "outputFile", "outputFileSync", "outputJson", "writeJson", "copyFile", "copyFileSync", "copyfile", "copytree", "copy2", "copy", "cp", "cpSync",
			"rename", "renameSync", "renames", "replace_file", "move", "mkdir", "mkdirSync", "makedirs", "mkdir_p", "symlink", "symlinkSync", "link", "linkSync", "hardlink_to", "symlink_to", "truncate", "truncateSync", "ftruncate", "chmodSync",
			"file_put_contents", "to_csv", "to_json", "savetxt", "savefig", "binwrite", "syswrite", "putFile", "writeSync", "touch", "utime", "extractall", "unpack_archive", "inplace"},
		markRemove:               {"unlink", "unlinkSync", "remove", "rmdir", "rmdirSync", "removedirs", "rm", "rm_f", "delete"},
		markRemove | markDestroy: {"rmtree", "rmSync", "rm_rf", "rm_r", "remove_tree", "rimraf", "remove_dir_all", "remove_entry_secure"},
		markDynamic: {"eval", "compile", "__import__", "importlib", "getattr", "globals", "__builtins__", "__globals__", "__subclasses__", "b64decode", "base64", "marshal", "pickle", "cPickle", "dill", "ctypes", "cffi", "codecs", "unhexlify", "fromhex", "zlib",
			"Function", "vm", "runInNewContext", "runInThisContext", "atob", "fromCharCode", "fromCodePoint", "instance_eval", "class_eval", "module_eval", "const_get", "public_send", "unpack1", "decode64", "base64_decode", "str_rot13", "gzinflate", "create_function", "call_user_func", "assert_options", "chr", "loadstring", "dofile", "process_binding"},
	} {
		for _, name := range names {
			all[name] |= m
		}
	}
	return all
})
