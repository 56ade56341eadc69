// Regenerates src/generated from the two published proto files. Run by hand, on a machine with Go and npm:
//   node libs/csi/generate.mjs
// The proto files come from Go modules by pinned version, in a temporary directory only.
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generate } from '../../tools/protobuf/generate.mjs';

const specVersion = 'v1.10.0'; // what csi-sanity 5.3.1 is built against
const kubeletVersion = 'v0.34.4';

generate({
  place: ({ work, run }) => {
    writeFileSync(join(work, 'go.mod'), 'module generate\n\ngo 1.24\n');
    const moduleDirectory = (module) =>
      JSON.parse(run('go', ['mod', 'download', '-json', module], { GOFLAGS: '-mod=mod' })).Dir;
    const spec = moduleDirectory(`github.com/container-storage-interface/spec@${specVersion}`);
    const kubelet = moduleDirectory(`k8s.io/kubelet@${kubeletVersion}`);
    cpSync(join(spec, 'csi.proto'), join(work, 'in/csi.proto'));
    cpSync(join(kubelet, 'pkg/apis/pluginregistration/v1/api.proto'), join(work, 'in/registration.proto'));
  },
  wanted: ['csi.ts', 'registration.ts', 'google/protobuf/timestamp.ts', 'google/protobuf/wrappers.ts'],
  target: join(import.meta.dirname, 'src/generated'),
  header:
    '// Generated from a proto file under the Apache License 2.0 (Kubernetes and Container Storage Interface\n' +
    '// authors; google/protobuf files: BSD 3-Clause). Do not edit: see generate.mjs.\n',
});
