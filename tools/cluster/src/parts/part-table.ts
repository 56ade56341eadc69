/** A program of the cluster that is built from a Go module pinned under `parts/`. */
export interface Part {
  /** The binary's file name, and the name for `ensureParts`. */
  name: string;
  /** Folder under `parts/` with the go.mod. */
  module: string;
  /** Import path of the main package. */
  package: string;
  /** Value for `-ldflags` after `-s -w`. Peers reject a CSI driver or client without a version. */
  stamps: readonly string[];
  /** Time of its build on two cores with empty caches, after the parts before it; for the estimate of the remaining time. */
  buildSeconds: number;
  /** Parts of one lane share compiled libraries, so they are built one after the other; lanes are built in parallel. */
  lane: 'kubernetes' | 'others';
  /** How to ask an installed binary for its version; absent: an installed one is never used. */
  version?: { argv: readonly string[]; prints: string };
}

const kubernetesVersion = 'v1.34.4';
const componentBase = 'k8s.io/component-base/version';
const kubernetesStamps = [
  `-X ${componentBase}.gitVersion=${kubernetesVersion}`,
  `-X ${componentBase}.gitMajor=1`,
  `-X ${componentBase}.gitMinor=34`,
  `-X ${componentBase}.gitTreeState=clean`,
];

const kubernetes = (name: string, buildSeconds: number): Part => ({
  name,
  buildSeconds,
  lane: 'kubernetes',
  module: 'kubernetes',
  package: `k8s.io/kubernetes/cmd/${name}`,
  stamps: kubernetesStamps,
  version: {
    argv: name === 'kubectl' ? ['version', '--client'] : ['--version'],
    prints: name === 'kubectl' ? `Client Version: ${kubernetesVersion}` : `Kubernetes ${kubernetesVersion}`,
  },
});

/**
 * kubernetes-csi programs print `<their own path> <version>`. Their go.mod requires what they share with the kubernetes part in the
 * versions there, and excludes newer ones, so that nothing is compiled twice. `replace` is not enough for that: Go's build cache uses the
 * required version as key, not the version that replaces it.
 */
const sidecar = (name: string, module: string, goPackage: string, version: string, buildSeconds: number): Part => ({
  name,
  buildSeconds,
  lane: 'kubernetes',
  module,
  package: goPackage,
  stamps: [`-X main.version=${version}`],
  version: { argv: ['--version'], prints: ` ${version}` },
});

/** The version of Kubernetes that helm assumes without a cluster. */
const helmDefaults = ['pkg/lint/rules', 'pkg/chartutil'].flatMap((target) => [
  `${target}.k8sVersionMajor=1`,
  `${target}.k8sVersionMinor=34`,
]);

/** Everything that the tool can build, in build order: first what delays a cluster most. */
export const parts = [
  {
    name: 'pause',
    buildSeconds: 1,
    lane: 'others',
    module: 'pause',
    package: 'lateen.dev/cluster/pause',
    stamps: [],
  },
  kubernetes('kube-apiserver', 230),
  kubernetes('kube-controller-manager', 44),
  kubernetes('kube-scheduler', 5),
  kubernetes('kubelet', 15),
  kubernetes('kube-proxy', 5),
  {
    name: 'etcd',
    buildSeconds: 20,
    lane: 'others',
    module: 'etcd',
    package: 'go.etcd.io/etcd/server/v3',
    stamps: [],
    version: { argv: ['--version'], prints: 'etcd Version: 3.6.7' },
  },
  // versitygw prints no version when it is built from a module, so an installed one cannot be checked.
  {
    name: 'versitygw',
    buildSeconds: 50,
    lane: 'others',
    module: 'versitygw',
    package: 'github.com/versity/versitygw/cmd/versitygw',
    stamps: [],
  },
  sidecar(
    'snapshot-controller',
    'external-snapshotter',
    'github.com/kubernetes-csi/external-snapshotter/v8/cmd/snapshot-controller',
    'v8.3.0',
    20,
  ),
  sidecar(
    'csi-snapshotter',
    'external-snapshotter',
    'github.com/kubernetes-csi/external-snapshotter/v8/cmd/csi-snapshotter',
    'v8.3.0',
    6,
  ),
  sidecar(
    'csi-provisioner',
    'external-provisioner',
    'github.com/kubernetes-csi/external-provisioner/v5/cmd/csi-provisioner',
    'v5.1.0',
    12,
  ),
  sidecar(
    'csi-resizer',
    'external-resizer',
    'github.com/kubernetes-csi/external-resizer/cmd/csi-resizer',
    'v1.14.0',
    5,
  ),
  sidecar(
    'csi-attacher',
    'external-attacher',
    'github.com/kubernetes-csi/external-attacher/v4/cmd/csi-attacher',
    'v4.12.0',
    8,
  ),
  sidecar(
    'csi-snapshot-metadata',
    'external-snapshot-metadata',
    'github.com/kubernetes-csi/external-snapshot-metadata/cmd/csi-snapshot-metadata',
    'v0.2.0',
    6,
  ),
  kubernetes('kubectl', 20),
  {
    name: 'kopia',
    buildSeconds: 51,
    lane: 'others',
    module: 'kopia',
    package: 'github.com/kopia/kopia',
    stamps: [],
    version: { argv: ['--version'], prints: '0.22.3' },
  },
  // Prints no version either.
  {
    name: 'fake-gcs-server',
    buildSeconds: 30,
    lane: 'others',
    module: 'fake-gcs-server',
    package: 'github.com/fsouza/fake-gcs-server',
    stamps: [],
  },
  {
    name: 'csi-sanity',
    buildSeconds: 15,
    lane: 'others',
    module: 'csi-sanity',
    package: 'github.com/kubernetes-csi/csi-test/v5/cmd/csi-sanity',
    stamps: [],
  },
  {
    name: 'helm',
    buildSeconds: 60,
    lane: 'others',
    module: 'helm',
    package: 'helm.sh/helm/v3/cmd/helm',
    // Without the others `helm template` and `helm lint` assume a cluster of version 1.20.
    stamps: ['internal/version.version=v3.19.5', ...helmDefaults].map((stamp) => `-X helm.sh/helm/v3/${stamp}`),
    version: { argv: ['version', '--short'], prints: 'v3.19.5' },
  },
  // Only for tests: test/plugins.
  {
    name: 'plugin-program',
    buildSeconds: 30,
    lane: 'others',
    module: 'plugin-program',
    package: 'lateen.dev/cluster/plugin-program',
    stamps: [],
  },
] as const satisfies readonly Part[];

/** The names of built programs that `ensureParts` accepts. */
export const partNames: readonly string[] = parts.map((part) => part.name);

/** What a running cluster needs; the image and tests need the others. */
export const clusterParts: readonly string[] = partNames.filter(
  (name) => !['kopia', 'fake-gcs-server', 'csi-sanity', 'helm', 'plugin-program'].includes(name),
);

/** What the control-plane-only mode needs. */
export const apiServerParts: readonly string[] = ['etcd', 'kube-apiserver'];
