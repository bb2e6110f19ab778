package wire

import (
	"github.com/sandlot-dev/sandlot/sdk/harness"
	pb "github.com/sandlot-dev/sandlot/sdk/proto/sandlot/v1"
)

func mcpServer(s harness.MCPServer) *pb.McpServer {
	return &pb.McpServer{
		Name: Text(s.Name), Url: Text(s.URL), Headers: each(s.Headers, mcpValue),
		Command: toBytes(s.Command), Args: each(s.Args, toBytes), Env: each(s.Env, mcpValue),
	}
}

func fromMCPServer(s *pb.McpServer) harness.MCPServer {
	return harness.MCPServer{
		Name: s.GetName(), URL: s.GetUrl(), Headers: each(s.GetHeaders(), fromMCPValue),
		Command: fromBytes(s.GetCommand()), Args: each(s.GetArgs(), fromBytes), Env: each(s.GetEnv(), fromMCPValue),
	}
}

func mcpValue(v harness.MCPValue) *pb.McpValue {
	return &pb.McpValue{Name: Text(v.Name), Value: toBytes(v.Value), Secret: v.Secret}
}

func fromMCPValue(v *pb.McpValue) harness.MCPValue {
	return harness.MCPValue{Name: v.GetName(), Value: fromBytes(v.GetValue()), Secret: v.GetSecret()}
}
