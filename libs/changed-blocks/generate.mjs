// Regenerates src/generated from the published proto file. Run by hand, on a machine with Go and npm:
//   node libs/changed-blocks/generate.mjs
// The proto file comes from a Go module by pinned version, in a temporary directory only.
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generate } from '../../tools/protobuf/generate.mjs';

const version = 'v0.2.0'; // the sidecar of tools/cluster/parts/external-snapshot-metadata

generate({
  place: ({ work, run }) => {
    writeFileSync(join(work, 'go.mod'), 'module generate\n\ngo 1.24\n');
    const module = `github.com/kubernetes-csi/external-snapshot-metadata@${version}`;
    const { Dir } = JSON.parse(run('go', ['mod', 'download', '-json', module], { GOFLAGS: '-mod=mod' }));
    cpSync(join(Dir, 'proto/schema.proto'), join(work, 'in/snapshot-metadata.proto'));
  },
  wanted: ['snapshot-metadata.ts'],
  target: join(import.meta.dirname, 'src/generated'),
  header:
    '// Generated from a proto file under the Apache License 2.0 (The Kubernetes Authors). Do not edit: see generate.mjs.\n',
});
