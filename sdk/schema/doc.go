// Package schema turns a tagged Go struct into the configuration schema of a
// plugin, and decodes a configuration value back into such a struct.
//
// A plugin author declares one struct and nothing else:
//
//	type config struct {
//		Image  string            `hcl:"image" default:"node:22" doc:"Image to start."`
//		Token  schema.Secret     `hcl:"token" doc:"API token."`
//		Env    map[string]string `hcl:"env,optional"`
//		Wait   time.Duration     `hcl:"wait" default:"30s" identity:"false"`
//		Mounts []mount           `hcl:"mount,block"`
//	}
//
// The SDK sends [Of] that struct over the wire; the host decodes HCL with it, so
// that a mistake is reported at its line, and sends the value back as JSON; the
// SDK fills the struct with [Decode].
//
// Tags:
//
//	hcl:"name"            a required attribute; a pointer or a default makes it optional
//	hcl:"name,optional"   an attribute that may be left out; the field keeps its zero value
//	hcl:"name,block"      a nested block: a struct is required, a pointer optional, a slice a list
//	hcl:"name,label"      a label of the nested block this struct describes (a string)
//	default:"..."         the value of an attribute left out; JSON for lists and maps
//	doc, example, deprecated   text for documentation and warnings
//	identity:"false"      changing it doesn't ask for another sandbox; on a block: nothing in it does
//
// Field types: string, bool, int, int64, float64, [time.Duration], [Secret], a
// pointer to one of them, and lists and string-keyed maps of them.
//
// The host applies defaults, so that they show in a plan and count in a
// sandbox's identity. [Decode] applies them again to what is absent, because a
// configuration kept in the store may be older than the plugin that reads it.
//
// The package knows nothing of HCL, of the wire or of the host, and imports the
// standard library only. Plugins, the SDK and the host may import it.
package schema
