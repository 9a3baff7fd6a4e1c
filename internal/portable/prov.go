package portable

import (
	"encoding/json"
	"time"
)

// Prov returns the provenance of exported memories as W3C PROV-JSON: a memory is an
// entity, its writing an activity, the agent and the source are agents, parents are what
// it was derived from.
func Prov(all []Exported) ([]byte, error) {
	type attributes map[string]any
	doc := map[string]map[string]attributes{
		"entity": {}, "activity": {}, "agent": {}, "wasGeneratedBy": {}, "wasAttributedTo": {}, "wasDerivedFrom": {}, "wasAssociatedWith": {},
	}
	for _, e := range all {
		id := e.ID.String()
		entity, activity, agent := "hearsay:"+id, "hearsay:write/"+id, "hearsay:source/"+e.Source.BaseType()
		doc["entity"][entity] = attributes{
			"hearsay:origin": e.Label.Origin.String(), "hearsay:taint": e.Label.Taint.Tags(), "hearsay:kind": e.Kind.String(), "hearsay:sha256": e.Digest,
		}
		doc["activity"][activity] = attributes{"prov:startTime": e.Created.Format(time.RFC3339Nano), "hearsay:session": e.CreatedBy.Session}
		doc["agent"][agent] = attributes{}
		doc["wasGeneratedBy"]["_:g"+id] = attributes{"prov:entity": entity, "prov:activity": activity}
		doc["wasAttributedTo"]["_:a"+id] = attributes{"prov:entity": entity, "prov:agent": agent}
		if by := e.CreatedBy.Agent; by != "" {
			doc["agent"]["hearsay:agent/"+by] = attributes{"prov:type": "prov:SoftwareAgent"}
			doc["wasAssociatedWith"]["_:w"+id] = attributes{"prov:activity": activity, "prov:agent": "hearsay:agent/" + by}
		}
		for _, p := range e.Parents {
			doc["wasDerivedFrom"]["_:d"+id+"/"+p.String()] = attributes{"prov:generatedEntity": entity, "prov:usedEntity": "hearsay:" + p.String()}
		}
	}
	out := map[string]any{"prefix": map[string]string{"hearsay": "https://hearsay.dev/prov/", "prov": "http://www.w3.org/ns/prov#"}}
	for name, part := range doc {
		if len(part) > 0 {
			out[name] = part
		}
	}
	return json.MarshalIndent(out, "", "  ")
}
