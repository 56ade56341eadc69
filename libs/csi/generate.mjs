// Regenerates src/generated from the two published proto files. Run by hand, on a machine with Go and npm:
//   node libs/csi/generate.mjs
// The proto files come from Go modules by pinned version, the generator from npm by pinned version; both live in a
// temporary directory only, so neither is a dependency of the project.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const specVersion = 'v1.10.0'; // what csi-sanity 5.3.1 is built against
const kubeletVersion = 'v0.34.4';
const tsProto = 'ts-proto@2.18.0';
const buf = '@bufbuild/buf@1.75.0';
const wanted = ['csi.ts', 'registration.ts', 'google/protobuf/timestamp.ts', 'google/protobuf/wrappers.ts'];

const options = [
  'outputServices=grpc-js',
  'esModuleInterop=true',
  'env=node',
  'forceLong=bigint', // sizes are int64 on the wire and stay exact
  'enumsAsLiterals=true', // Node strips types, so there can be no enum
  'importSuffix=.ts',
  'outputJsonMethods=false',
  'useExactTypes=false',
  'unrecognizedEnum=false',
  'comments=false',
];

const work = mkdtempSync(join(tmpdir(), 'csi-generate-'));
try {
  const run = (command, args, env = {}) =>
    execFileSync(command, args, { cwd: work, encoding: 'utf8', env: { ...process.env, ...env } });
  writeFileSync(join(work, 'package.json'), '{"private":true}');
  run('npm', ['install', '--no-audit', '--no-fund', tsProto, buf]);
  writeFileSync(join(work, 'go.mod'), 'module generate\n\ngo 1.24\n');
  const moduleDirectory = (module) =>
    JSON.parse(run('go', ['mod', 'download', '-json', module], { GOFLAGS: '-mod=mod' })).Dir;
  const spec = moduleDirectory(`github.com/container-storage-interface/spec@${specVersion}`);
  const kubelet = moduleDirectory(`k8s.io/kubelet@${kubeletVersion}`);
  cpSync(join(spec, 'csi.proto'), join(work, 'in/csi.proto'));
  cpSync(join(kubelet, 'pkg/apis/pluginregistration/v1/api.proto'), join(work, 'in/registration.proto'));
  writeFileSync(join(work, 'buf.yaml'), 'version: v2\nmodules:\n  - path: in\n');
  const plugin = { local: ['node', 'node_modules/.bin/protoc-gen-ts_proto'], out: 'out', opt: options };
  writeFileSync(join(work, 'buf.gen.yaml'), JSON.stringify({ version: 'v2', plugins: [plugin] }));
  run('node', ['node_modules/.bin/buf', 'generate']);
  for (const file of wanted) {
    const licence =
      '// Generated from a proto file under the Apache License 2.0 (Kubernetes and Container Storage Interface\n' +
      '// authors; google/protobuf files: BSD 3-Clause). Do not edit: see generate.mjs.\n';
    const target = join(import.meta.dirname, 'src/generated', file);
    cpSync(join(work, 'out', file), target);
    writeFileSync(target, licence + readFileSync(target, 'utf8'));
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
