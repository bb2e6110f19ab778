package sandbox

// As returns the optional interface T of sb, for example As[Filer](sb), or an
// error of class Unsupported that names it. A remote sandbox has the methods of
// every optional interface, so its capabilities are asked too.
func As[T any](sb Sandbox) (T, error) {
	name, flag := "this", true
	switch can := sb.Info().Capabilities; any((*T)(nil)).(type) {
	case *Filer:
		name, flag = "fs", can.Files
	case *Porter:
		name, flag = "ports", can.Ports
	case *Snapshotable:
		name, flag = "snapshots", can.Snapshots
	case *Forker:
		name, flag = "fork", can.Forks
	case *Keeper:
		name, flag = "keep_alive", can.Keeps
	}
	if t, ok := sb.(T); ok && flag {
		return t, nil
	}
	var none T
	return none, &Error{
		Class: Unsupported, Capability: name,
		Message: "sandbox " + sb.ID() + " does not support the " + name + " capability",
	}
}

// AsProvider is [As] for an optional interface of a provider:
// AsProvider[Snapshotter](p). What wraps a provider and has a method Unwrap that
// returns it is looked through, as errors are.
func AsProvider[T any](p Provider) (T, error) {
	name, flag := "this", true
	if _, ok := any((*T)(nil)).(*Snapshotter); ok {
		name, flag = "snapshots", p.Capabilities().Snapshots
	}
	for flag && p != nil {
		if t, ok := p.(T); ok {
			return t, nil
		}
		outer, ok := p.(interface{ Unwrap() Provider })
		if !ok {
			break
		}
		p = outer.Unwrap()
	}
	var none T
	return none, &Error{
		Class: Unsupported, Capability: name, Message: "the provider does not support the " + name + " capability",
	}
}
