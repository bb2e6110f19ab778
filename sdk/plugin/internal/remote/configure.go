package remote

import (
	"context"

	pb "github.com/sandlot-dev/sandlot/sdk/proto/sandlot/v1"
)

// Configure sends a plugin its configuration.
func Configure(ctx context.Context, c Conn, r *pb.ConfigureRequest) (*pb.ConfigureResponse, error) {
	c.Timeouts = c.Timeouts.WithDefaults()
	return unary(ctx, &c, c.Timeouts.Unary, "configure "+c.Name, func(ctx context.Context) (*pb.ConfigureResponse, error) {
		return pb.NewPluginServiceClient(c.RPC).Configure(ctx, r)
	})
}
