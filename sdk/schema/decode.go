package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"time"
)

// Decode fills the struct that into points to from a JSON object shaped by the
// struct's schema. An absent or null attribute takes its default, else the
// field keeps the value it has. A key the struct doesn't know is an error: the
// host never drops what a person wrote. Errors about a value are [*PathError];
// they never quote the value.
func Decode(data []byte, into any) error {
	v := reflect.ValueOf(into)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		return fmt.Errorf("decode configuration: a pointer to a struct is needed, not %T", into)
	}
	value, err := parseJSON(data)
	if err != nil {
		return &PathError{Message: "not valid JSON"} // the cause may quote a value
	}
	return decodeBlock(v.Elem(), value, "")
}

func parseJSON(data []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber() // a 64-bit int doesn't fit a float64
	var value any
	if err := dec.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one value")
	}
	return value, nil
}

func decodeBlock(v reflect.Value, value any, path string) error {
	object, ok := value.(map[string]any)
	if !ok {
		return &PathError{Path: path, Message: "an object is needed"}
	}
	fields, err := fieldsOf(v.Type())
	if err != nil {
		return fmt.Errorf("decode configuration: %w", err)
	}
	known := map[string]bool{}
	for _, f := range fields {
		known[f.name] = true
		if err := decodeField(v.Field(f.index), f, object[f.name], Attr(path, f.name)); err != nil {
			return err
		}
	}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if !known[key] {
			return &PathError{Path: Attr(path, key), Message: "this plugin doesn't know it"}
		}
	}
	return nil
}

func decodeField(v reflect.Value, f field, value any, path string) error {
	switch {
	case f.role == labelRole:
		if value == nil {
			return &PathError{Path: path, Message: "the label is missing"}
		}
		return setScalar(v, String, value, path)
	case f.role == blockRole:
		return decodeNested(v, f, value, path)
	case value == nil && f.def != nil:
		value, _ = parseJSON(f.def) // checked by fieldsOf
	case value == nil && f.required():
		return &PathError{Path: path, Message: "it is required"}
	case value == nil:
		return nil
	}
	if f.pointer {
		v.Set(reflect.New(f.typ))
		v = v.Elem()
	}
	return setAttribute(v, f.wire, value, path)
}

func decodeNested(v reflect.Value, f field, value any, path string) error {
	switch {
	case f.typ.Kind() == reflect.Slice:
		list, ok := value.([]any)
		if !ok && value != nil {
			return &PathError{Path: path, Message: "a list of blocks is needed"}
		}
		out := reflect.MakeSlice(f.typ, len(list), len(list))
		for i, item := range list {
			if err := decodeBlock(out.Index(i), item, Index(path, i)); err != nil {
				return err
			}
		}
		v.Set(out)
		return nil
	case value == nil && f.pointer:
		return nil
	case value == nil:
		return &PathError{Path: path, Message: "the block is required"}
	case f.pointer:
		v.Set(reflect.New(f.typ))
		v = v.Elem()
	}
	return decodeBlock(v, value, path)
}

func setAttribute(v reflect.Value, t Type, value any, path string) error {
	switch {
	case t.IsList():
		list, ok := value.([]any)
		if !ok {
			return &PathError{Path: path, Message: "a list is needed"}
		}
		out := reflect.MakeSlice(v.Type(), len(list), len(list))
		for i, item := range list {
			if err := setScalar(out.Index(i), t.Elem(), item, Index(path, i)); err != nil {
				return err
			}
		}
		v.Set(out)
		return nil
	case t.IsMap():
		object, ok := value.(map[string]any)
		if !ok {
			return &PathError{Path: path, Message: "a map is needed"}
		}
		out := reflect.MakeMapWithSize(v.Type(), len(object))
		for _, key := range slices.Sorted(maps.Keys(object)) {
			elem := reflect.New(v.Type().Elem()).Elem()
			if err := setScalar(elem, t.Elem(), object[key], Key(path, key)); err != nil {
				return err
			}
			out.SetMapIndex(reflect.ValueOf(key).Convert(v.Type().Key()), elem)
		}
		v.Set(out)
		return nil
	}
	return setScalar(v, t, value, path)
}

func setScalar(v reflect.Value, t Type, value any, path string) error {
	text, isString := value.(string)
	number, isNumber := value.(json.Number)
	flag, isBool := value.(bool)
	switch {
	case t == String && isString:
		v.SetString(text)
		return nil
	case t == Sensitive && isString:
		v.Set(reflect.ValueOf(NewSecret(text)))
		return nil
	case t == Bool && isBool:
		v.SetBool(flag)
		return nil
	case t == Int && isNumber:
		if n, err := number.Int64(); err == nil && !v.OverflowInt(n) {
			v.SetInt(n)
			return nil
		}
	case t == Number && isNumber:
		if n, err := number.Float64(); err == nil {
			v.SetFloat(n)
			return nil
		}
	case t == Duration && isString:
		if d, err := time.ParseDuration(text); err == nil {
			v.SetInt(int64(d))
			return nil
		}
	}
	return &PathError{Path: path, Message: needs[t]}
}

var needs = map[Type]string{
	String: "a string is needed", Sensitive: "a string is needed", Bool: "true or false is needed",
	Int: "a whole number is needed", Number: "a number is needed", Duration: `a duration such as "90s" or "1h30m" is needed`,
}
