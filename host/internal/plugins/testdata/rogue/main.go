// Command rogue is a plugin in its own words only: what it serves is wrong, in
// the way that ROGUE names.
package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
)

func main() {
	if len(os.Args) > 1 {
		fmt.Println(description)
		return
	}
	conf := &goplugin.ServeConfig{
		HandshakeConfig:  goplugin.HandshakeConfig{MagicCookieKey: "SANDLOT_PLUGIN", MagicCookieValue: os.Getenv("SANDLOT_PLUGIN")},
		VersionedPlugins: map[int]goplugin.PluginSet{1: {"sandlot": empty{}}},
		GRPCServer:       goplugin.DefaultGRPCServer,
	}
	switch os.Getenv("ROGUE") {
	case "own TLS":
		conf.TLSProvider = func() (*tls.Config, error) { return &tls.Config{Certificates: []tls.Certificate{certificate()}}, nil }
	case "another product":
		conf.MagicCookieKey = "ANOTHER"
	case "protocol 7":
		conf.VersionedPlugins = map[int]goplugin.PluginSet{7: {"sandlot": empty{}}}
	case "garbled Describe", "garbled Configure", "garbled List":
		conf.VersionedPlugins = map[int]goplugin.PluginSet{1: {"sandlot": garbled{from: strings.TrimPrefix(os.Getenv("ROGUE"), "garbled ")}}}
	case "silence":
		answer(func(net.Conn) {})
	case "garbage":
		answer(func(c net.Conn) { _, _ = c.Write([]byte("220 mail.example.com ESMTP\r\n")) })
	}
	goplugin.Serve(conf) // of no service that a host knows
}

// empty serves nothing.
type empty struct {
	goplugin.NetRPCUnsupportedPlugin
}

func (empty) GRPCServer(*goplugin.GRPCBroker, *grpc.Server) error { return nil }

func (empty) GRPCClient(context.Context, *goplugin.GRPCBroker, *grpc.ClientConn) (any, error) {
	return nil, nil
}

// answer says that it serves, and answers each connection in its own way.
func answer(how func(net.Conn)) {
	path := filepath.Join(os.Getenv("PLUGIN_UNIX_SOCKET_DIR"), "rogue")
	l, err := net.Listen("unix", path)
	if err != nil {
		panic(err)
	}
	fmt.Printf("1|1|unix|%s|grpc|%s\n", path, base64.RawStdEncoding.EncodeToString(certificate().Certificate[0]))
	for {
		c, err := l.Accept()
		if err != nil {
			panic(err)
		}
		how(c)
	}
}

func certificate() tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"localhost"}, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		panic(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}
