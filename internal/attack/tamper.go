package attack

import (
	"errors"
	"fmt"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/home"
	"github.com/hearsay-memory/hearsay/internal/instance"
)

// tamper changes the store behind the guard's back, as somebody with the file can.
func tamper(in *instance.Instance, what string, id hearsay.RecordID) (err error) {
	c, err := sqlite.OpenConn(in.Home.Path(home.FileStore), sqlite.OpenReadWrite)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	var script string
	switch what {
	case "log":
		script = `DROP TRIGGER log_keeps; UPDATE log SET body = CAST(replace(CAST(body AS TEXT), '"external"', '"externaL"') AS BLOB)
			WHERE seq = (SELECT max(seq) FROM log);`
	case "standing":
		script = fmt.Sprintf(`UPDATE record SET val = CAST(replace(CAST(val AS TEXT), '"held"', '"released"') AS BLOB), queue = 2 WHERE id = x'%x';`, id[:])
	default:
		return fmt.Errorf("unknown tampering %q", what)
	}
	return sqlitex.ExecuteScript(c, script, nil)
}
