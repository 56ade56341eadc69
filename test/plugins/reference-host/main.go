// The host of the reference, as small as it gets: its client library (go-plugin) and its own messages. Starts the program of its arguments, calls it, and says
// what came, a line each. For test/cluster/src/parts/plugin-reference-host.test.ts.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"

	hclog "github.com/hashicorp/go-hclog"
	plugin "github.com/hashicorp/go-plugin"
	proto "github.com/vmware-tanzu/velero/pkg/plugin/generated"
	biav2 "github.com/vmware-tanzu/velero/pkg/plugin/generated/backupitemaction/v2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/status"
)

type lister struct{ plugin.NetRPCUnsupportedPlugin }

func (lister) GRPCServer(*plugin.GRPCBroker, *grpc.Server) error { return nil }
func (lister) GRPCClient(_ context.Context, _ *plugin.GRPCBroker, c *grpc.ClientConn) (any, error) {
	return c, nil
}

func must(err error) {
	if err != nil {
		fmt.Println("FAILED:", err)
		os.Exit(1)
	}
}

func main() {
	client := plugin.NewClient(&plugin.ClientConfig{
		HandshakeConfig:  plugin.HandshakeConfig{ProtocolVersion: 2, MagicCookieKey: "VELERO_PLUGIN", MagicCookieValue: "hello"},
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC},
		Plugins:          map[string]plugin.Plugin{"PluginLister": lister{}},
		Logger:           hclog.New(&hclog.LoggerOptions{Level: hclog.Info, Output: os.Stdout, DisableTime: true}),
		Cmd:              exec.CommandContext(context.Background(), os.Args[1], append(os.Args[2:], "--log-level", "info", "--features=EnableCSI")...),
	})
	protocol, err := client.Client()
	must(err)
	must(protocol.Ping())
	raw, err := protocol.Dispense("PluginLister")
	must(err)
	conn := raw.(*grpc.ClientConn)
	list, err := proto.NewPluginListerClient(conn).ListPlugins(context.Background(), &proto.Empty{})
	must(err)
	for _, id := range list.Plugins {
		fmt.Println("LISTED", id.Kind, id.Name, id.Command)
	}
	action := biav2.NewBackupItemActionClient(conn)
	name := "fixture.lateen.dev/backup"
	to, err := action.AppliesTo(context.Background(), &biav2.BackupItemActionAppliesToRequest{Plugin: name})
	must(err)
	fmt.Println("APPLIES", to.ResourceSelector.IncludedResources, to.ResourceSelector.Selector)
	execute := func(script string) (*biav2.ExecuteResponse, error) {
		item, _ := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "c", "namespace": "shop",
			"annotations": map[string]any{"fixture.lateen.dev/script": script}}})
		return action.Execute(context.Background(), &biav2.ExecuteRequest{Plugin: name, Item: item, Backup: []byte(`{"metadata":{"name":"b"}}`)})
	}
	out, err := execute(`{"annotate":{"a":"b"},"log":[{"level":"warn","message":"from typescript"}],"operation":{"polls":1},"print":"printed"}`)
	must(err)
	fmt.Println("EXECUTED", string(out.Item), out.OperationID)
	progress, err := action.Progress(context.Background(), &biav2.BackupItemActionProgressRequest{Plugin: name, OperationID: out.OperationID, Backup: []byte("{}")})
	must(err)
	fmt.Println("PROGRESS", progress.Progress.Completed, progress.Progress.Started.AsTime().Format("2006-01-02"), progress.Progress.OperationUnits)
	_, err = execute(`{"fail":"no room"}`)
	s, _ := status.FromError(err)
	fmt.Println("FAILS", s.Code(), s.Message())
	for _, detail := range s.Details() {
		if stack, ok := detail.(*proto.Stack); ok {
			fmt.Println("STACK", stack.Frames[0].Function)
		}
	}
	_, err = execute(`{"panic":"nil map"}`)
	s, _ = status.FromError(err)
	fmt.Println("PANICS", s.Code(), s.Message())
	client.Kill()
	fmt.Println("ENDED", client.Exited())
}
