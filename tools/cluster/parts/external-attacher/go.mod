module lateen.dev/cluster/external-attacher

go 1.26.0

require (
	cel.dev/expr v0.24.0 // indirect
	github.com/NYTimes/gziphandler v1.1.1 // indirect
	github.com/antlr4-go/antlr/v4 v4.13.0 // indirect
	github.com/beorn7/perks v1.0.1 // indirect
	github.com/blang/semver/v4 v4.0.0 // indirect
	github.com/cenkalti/backoff/v4 v4.3.0 // indirect
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/container-storage-interface/spec v1.9.0 // indirect
	github.com/coreos/go-semver v0.3.1 // indirect
	github.com/coreos/go-systemd/v22 v22.5.0 // indirect
	github.com/davecgh/go-spew v1.1.1 // indirect
	github.com/emicklei/go-restful/v3 v3.12.2 // indirect
	github.com/evanphx/json-patch v5.9.11+incompatible // indirect
	github.com/felixge/httpsnoop v1.0.4 // indirect
	github.com/fsnotify/fsnotify v1.9.0 // indirect
	github.com/fxamacker/cbor/v2 v2.9.0 // indirect
	github.com/go-logr/logr v1.4.2 // indirect
	github.com/go-logr/stdr v1.2.2 // indirect
	github.com/go-logr/zapr v1.3.0 // indirect
	github.com/go-openapi/jsonpointer v0.21.0 // indirect
	github.com/go-openapi/jsonreference v0.20.2 // indirect
	github.com/go-openapi/swag v0.23.0 // indirect
	github.com/gogo/protobuf v1.3.2 // indirect
	github.com/golang/protobuf v1.5.4 // indirect
	github.com/google/cel-go v0.26.0 // indirect
	github.com/google/gnostic-models v0.7.0 // indirect
	github.com/google/go-cmp v0.7.0 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/grpc-ecosystem/go-grpc-prometheus v1.2.0 // indirect
	github.com/grpc-ecosystem/grpc-gateway/v2 v2.26.3 // indirect
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/josharian/intern v1.0.0 // indirect
	github.com/json-iterator/go v1.1.12 // indirect
	github.com/kubernetes-csi/csi-lib-utils v0.24.0 // indirect
	github.com/kubernetes-csi/external-attacher/v4 v4.12.0 // indirect
	github.com/kylelemons/godebug v1.1.0 // indirect
	github.com/mailru/easyjson v0.7.7 // indirect
	github.com/modern-go/concurrent v0.0.0-20180306012644-bacd9c7ef1dd // indirect
	github.com/modern-go/reflect2 v1.0.3-0.20250322232337-35a7c28c31ee // indirect
	github.com/munnerz/goautoneg v0.0.0-20191010083416-a7dc8b61c822 // indirect
	github.com/pkg/errors v0.9.1 // indirect
	github.com/pmezard/go-difflib v1.0.0 // indirect
	github.com/prometheus/client_golang v1.22.0 // indirect
	github.com/prometheus/client_model v0.6.1 // indirect
	github.com/prometheus/common v0.62.0 // indirect
	github.com/prometheus/procfs v0.15.1 // indirect
	github.com/spf13/cobra v1.9.1 // indirect
	github.com/spf13/pflag v1.0.6 // indirect
	github.com/stoewer/go-strcase v1.3.0 // indirect
	github.com/x448/float16 v0.8.4 // indirect
	go.etcd.io/etcd/api/v3 v3.6.4 // indirect
	go.etcd.io/etcd/client/pkg/v3 v3.6.4 // indirect
	go.etcd.io/etcd/client/v3 v3.6.4 // indirect
	go.opentelemetry.io/auto/sdk v1.1.0 // indirect
	go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc v0.60.0 // indirect
	go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp v0.58.0 // indirect
	go.opentelemetry.io/otel v1.35.0 // indirect
	go.opentelemetry.io/otel/exporters/otlp/otlptrace v1.34.0 // indirect
	go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc v1.34.0 // indirect
	go.opentelemetry.io/otel/metric v1.35.0 // indirect
	go.opentelemetry.io/otel/sdk v1.34.0 // indirect
	go.opentelemetry.io/otel/trace v1.35.0 // indirect
	go.opentelemetry.io/proto/otlp v1.5.0 // indirect
	go.uber.org/automaxprocs v1.6.0 // indirect
	go.uber.org/multierr v1.11.0 // indirect
	go.uber.org/zap v1.27.0 // indirect
	go.yaml.in/yaml/v2 v2.4.2 // indirect
	go.yaml.in/yaml/v3 v3.0.4 // indirect
	golang.org/x/crypto v0.36.0 // indirect
	golang.org/x/exp v0.0.0-20240719175910-8a7402abbf56 // indirect
	golang.org/x/net v0.38.0 // indirect
	golang.org/x/oauth2 v0.27.0 // indirect
	golang.org/x/sync v0.12.0 // indirect
	golang.org/x/sys v0.31.0 // indirect
	golang.org/x/term v0.30.0 // indirect
	golang.org/x/text v0.23.0 // indirect
	golang.org/x/time v0.9.0 // indirect
	google.golang.org/genproto/googleapis/api v0.0.0-20250303144028-a0af3efb3deb // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20250303144028-a0af3efb3deb // indirect
	google.golang.org/grpc v1.72.1 // indirect
	google.golang.org/protobuf v1.36.5 // indirect
	gopkg.in/evanphx/json-patch.v4 v4.12.0 // indirect
	gopkg.in/inf.v0 v0.9.1 // indirect
	gopkg.in/yaml.v3 v3.0.1 // indirect
	k8s.io/api v0.34.4 // indirect
	k8s.io/apimachinery v0.34.4 // indirect
	k8s.io/apiserver v0.34.4 // indirect
	k8s.io/client-go v0.34.4 // indirect
	k8s.io/component-base v0.34.4 // indirect
	k8s.io/csi-translation-lib v0.34.4 // indirect
	k8s.io/klog/v2 v2.130.1 // indirect
	k8s.io/kube-openapi v0.0.0-20250710124328-f3f2b991d03b // indirect
	k8s.io/utils v0.0.0-20250604170112-4c0f3b243397 // indirect
	sigs.k8s.io/apiserver-network-proxy/konnectivity-client v0.31.2 // indirect
	sigs.k8s.io/json v0.0.0-20241014173422-cfa47c3a1cc8 // indirect
	sigs.k8s.io/randfill v1.0.0 // indirect
	sigs.k8s.io/structured-merge-diff/v6 v6.3.0 // indirect
	sigs.k8s.io/yaml v1.6.0 // indirect
)

tool github.com/kubernetes-csi/external-attacher/v4/cmd/csi-attacher

exclude (
	cel.dev/expr v0.25.1
	cel.dev/expr v0.25.2
)

exclude github.com/antlr4-go/antlr/v4 v4.13.1

exclude (
	github.com/container-storage-interface/spec v1.11.0
	github.com/container-storage-interface/spec v1.12.0
)

exclude github.com/coreos/go-oidc v2.5.0+incompatible

exclude github.com/coreos/go-systemd/v22 v22.7.0

exclude github.com/davecgh/go-spew v1.1.2-0.20180830191138-d8f796af33cc

exclude github.com/emicklei/go-restful/v3 v3.13.0

exclude github.com/fsnotify/fsnotify v1.10.1

exclude github.com/fxamacker/cbor/v2 v2.9.2

exclude github.com/go-logr/logr v1.4.3

exclude (
	github.com/go-openapi/jsonpointer v0.22.5
	github.com/go-openapi/jsonpointer v0.23.1
)

exclude (
	github.com/go-openapi/jsonreference v0.21.0
	github.com/go-openapi/jsonreference v0.21.5
)

exclude github.com/go-openapi/swag v0.26.0

exclude github.com/google/cel-go v0.28.1

exclude github.com/google/gnostic-models v0.7.1

exclude (
	github.com/grpc-ecosystem/grpc-gateway/v2 v2.27.7
	github.com/grpc-ecosystem/grpc-gateway/v2 v2.28.0
	github.com/grpc-ecosystem/grpc-gateway/v2 v2.29.0
)

exclude github.com/mailru/easyjson v0.9.0

exclude github.com/moby/spdystream v0.5.1

exclude github.com/pmezard/go-difflib v1.0.1-0.20181226105442-5d4384ee4fb2

exclude github.com/prometheus/client_golang v1.23.2

exclude github.com/prometheus/client_model v0.6.2

exclude (
	github.com/prometheus/common v0.66.1
	github.com/prometheus/common v0.67.5
)

exclude (
	github.com/prometheus/procfs v0.16.1
	github.com/prometheus/procfs v0.19.2
	github.com/prometheus/procfs v0.20.1
)

exclude github.com/spf13/cobra v1.10.2

exclude (
	github.com/spf13/pflag v1.0.9
	github.com/spf13/pflag v1.0.10
)

exclude (
	go.etcd.io/etcd/api/v3 v3.6.8
	go.etcd.io/etcd/api/v3 v3.6.11
)

exclude (
	go.etcd.io/etcd/client/pkg/v3 v3.6.8
	go.etcd.io/etcd/client/pkg/v3 v3.6.11
)

exclude (
	go.etcd.io/etcd/client/v3 v3.6.8
	go.etcd.io/etcd/client/v3 v3.6.11
)

exclude go.opentelemetry.io/auto/sdk v1.2.1

exclude (
	go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc v0.65.0
	go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc v0.68.0
)

exclude (
	go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp v0.65.0
	go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp v0.68.0
)

exclude (
	go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc v1.40.0
	go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc v1.43.0
)

exclude (
	go.opentelemetry.io/otel/exporters/otlp/otlptrace v1.40.0
	go.opentelemetry.io/otel/exporters/otlp/otlptrace v1.43.0
)

exclude (
	go.opentelemetry.io/otel/metric v1.41.0
	go.opentelemetry.io/otel/metric v1.43.0
)

exclude (
	go.opentelemetry.io/otel/sdk v1.40.0
	go.opentelemetry.io/otel/sdk v1.43.0
)

exclude (
	go.opentelemetry.io/otel/trace v1.38.0
	go.opentelemetry.io/otel/trace v1.41.0
	go.opentelemetry.io/otel/trace v1.43.0
)

exclude (
	go.opentelemetry.io/otel v1.38.0
	go.opentelemetry.io/otel v1.41.0
	go.opentelemetry.io/otel v1.43.0
)

exclude (
	go.opentelemetry.io/proto/otlp v1.9.0
	go.opentelemetry.io/proto/otlp v1.10.0
)

exclude (
	go.uber.org/zap v1.27.1
	go.uber.org/zap v1.28.0
)

exclude (
	go.yaml.in/yaml/v2 v2.4.3
	go.yaml.in/yaml/v2 v2.4.4
)

exclude (
	golang.org/x/crypto v0.47.0
	golang.org/x/crypto v0.51.0
)

exclude (
	golang.org/x/exp v0.0.0-20240823005443-9b4947da3948
	golang.org/x/exp v0.0.0-20251219203646-944ab1f22d93
)

exclude (
	golang.org/x/net v0.43.0
	golang.org/x/net v0.48.0
	golang.org/x/net v0.49.0
	golang.org/x/net v0.50.0
	golang.org/x/net v0.51.0
	golang.org/x/net v0.52.0
	golang.org/x/net v0.53.0
	golang.org/x/net v0.54.0
)

exclude (
	golang.org/x/oauth2 v0.30.0
	golang.org/x/oauth2 v0.34.0
	golang.org/x/oauth2 v0.36.0
)

exclude (
	golang.org/x/sync v0.16.0
	golang.org/x/sync v0.19.0
	golang.org/x/sync v0.20.0
)

exclude (
	golang.org/x/sys v0.35.0
	golang.org/x/sys v0.39.0
	golang.org/x/sys v0.40.0
	golang.org/x/sys v0.41.0
	golang.org/x/sys v0.42.0
	golang.org/x/sys v0.44.0
)

exclude (
	golang.org/x/term v0.39.0
	golang.org/x/term v0.43.0
)

exclude (
	golang.org/x/text v0.28.0
	golang.org/x/text v0.32.0
	golang.org/x/text v0.33.0
	golang.org/x/text v0.34.0
	golang.org/x/text v0.35.0
	golang.org/x/text v0.36.0
	golang.org/x/text v0.37.0
)

exclude (
	golang.org/x/time v0.14.0
	golang.org/x/time v0.15.0
)

exclude (
	golang.org/x/tools v0.36.0
	golang.org/x/tools v0.40.0
	golang.org/x/tools v0.44.0
)

exclude (
	google.golang.org/genproto/googleapis/api v0.0.0-20251202230838-ff82c1b0f217
	google.golang.org/genproto/googleapis/api v0.0.0-20260128011058-8636f8732409
	google.golang.org/genproto/googleapis/api v0.0.0-20260209200024-4cfbd4190f57
	google.golang.org/genproto/googleapis/api v0.0.0-20260226221140-a57be14db171
	google.golang.org/genproto/googleapis/api v0.0.0-20260401024825-9d38bb4040a9
	google.golang.org/genproto/googleapis/api v0.0.0-20260414002931-afd174a4e478
)

exclude (
	google.golang.org/genproto/googleapis/rpc v0.0.0-20251202230838-ff82c1b0f217
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260128011058-8636f8732409
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260209200024-4cfbd4190f57
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260226221140-a57be14db171
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260401024825-9d38bb4040a9
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260406210006-6f92a3bedf2d
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260414002931-afd174a4e478
)

exclude (
	google.golang.org/grpc v1.79.2
	google.golang.org/grpc v1.79.3
	google.golang.org/grpc v1.80.0
	google.golang.org/grpc v1.81.1
)

exclude (
	google.golang.org/protobuf v1.36.6
	google.golang.org/protobuf v1.36.8
	google.golang.org/protobuf v1.36.10
	google.golang.org/protobuf v1.36.11
	google.golang.org/protobuf v1.36.12-0.20260120151049-f2248ac996af
)

exclude gopkg.in/evanphx/json-patch.v4 v4.13.0

exclude (
	k8s.io/api v0.36.0
	k8s.io/api v0.36.1
)

exclude (
	k8s.io/apimachinery v0.36.0
	k8s.io/apimachinery v0.36.1
)

exclude k8s.io/apiserver v0.36.1

exclude (
	k8s.io/client-go v0.36.0
	k8s.io/client-go v0.36.1
)

exclude (
	k8s.io/component-base v0.36.0
	k8s.io/component-base v0.36.1
)

exclude k8s.io/csi-translation-lib v0.36.1

exclude k8s.io/klog/v2 v2.140.0

exclude k8s.io/kms v0.36.1

exclude k8s.io/kube-openapi v0.0.0-20260317180543-43fb72c5454a

exclude k8s.io/utils v0.0.0-20260210185600-b8788abfbbc2

exclude sigs.k8s.io/apiserver-network-proxy/konnectivity-client v0.34.0

exclude sigs.k8s.io/json v0.0.0-20250730193827-2d320260d730

exclude (
	sigs.k8s.io/structured-merge-diff/v6 v6.3.2
	sigs.k8s.io/structured-merge-diff/v6 v6.4.0
)
