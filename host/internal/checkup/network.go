package checkup

import (
	"context"
	"crypto/x509"
	"fmt"
	"net/url"
	"os"
	"strings"
)

// network looks at what of the environment says how to reach others. It reaches
// nobody itself.
func (m *Machine) network(_ context.Context, l *list) {
	for _, name := range []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"} {
		if v := m.envOr(name, ""); v != "" {
			l.proxy(name, v)
		}
	}
	if file := m.envOr("SSL_CERT_FILE", ""); file != "" {
		l.certificates(file)
	}
	for _, dir := range strings.Split(m.envOr("SSL_CERT_DIR", ""), ":") {
		if info, err := os.Stat(dir); dir != "" && (err != nil || !info.IsDir()) {
			l.add(Problem, fmt.Sprintf("SSL_CERT_DIR names %s, which is no folder: no TLS connection may be made", dir), "unset SSL_CERT_DIR")
		}
	}
	if len(l.all) == 0 {
		l.add(OK, "no proxy and no certificates of their own are set", "")
	}
}

// proxy shows where a proxy is, and never its password.
func (l *list) proxy(name, value string) {
	text := value
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" {
		l.add(Problem, name+" is no address of a proxy, such as http://proxy.example.com:3128", "unset "+name)
		return
	}
	l.add(OK, fmt.Sprintf("%s is %s://%s", name, u.Scheme, u.Host), "")
}

func (l *list) certificates(file string) {
	data, err := os.ReadFile(file)
	switch {
	case err != nil:
		l.add(Problem, fmt.Sprintf("SSL_CERT_FILE names %s, which can't be read: no TLS connection may be made", file), "unset SSL_CERT_FILE")
	case !x509.NewCertPool().AppendCertsFromPEM(data):
		l.add(Problem, fmt.Sprintf("SSL_CERT_FILE names %s, which holds no certificate", file), "unset SSL_CERT_FILE")
	default:
		l.add(OK, "certificates are those of "+file, "")
	}
}
