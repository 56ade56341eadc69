// Regenerates src/generated from proto. Run by hand, on a machine with npm:
//   node libs/plugin-protocol/generate.mjs
import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { generate } from '../../tools/protobuf/generate.mjs';

const proto = join(import.meta.dirname, 'proto');

generate({
  place: ({ work }) => cpSync(proto, join(work, 'in'), { recursive: true }),
  wanted: [
    ...readdirSync(proto).map((file) => file.replace(/\.proto$/, '.ts')),
    ...['any', 'duration', 'empty', 'timestamp'].map((name) => `google/protobuf/${name}.ts`),
  ],
  target: join(import.meta.dirname, 'src/generated'),
  header:
    '// Generated from a file below proto (google/protobuf files: BSD 3-Clause). Do not edit: see generate.mjs.\n',
  options: ['useReadonlyTypes=true'],
});
