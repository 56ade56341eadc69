// Regenerates src/generated from proto/instance.proto. Run by hand, on a machine with npm:
//   node libs/instance-api/generate.mjs
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { generate } from '../../tools/protobuf/generate.mjs';

generate({
  place: ({ work }) => cpSync(join(import.meta.dirname, 'proto'), join(work, 'in'), { recursive: true }),
  wanted: ['instance.ts'],
  target: join(import.meta.dirname, 'src/generated'),
  header: '// Generated from proto/instance.proto. Do not edit: see generate.mjs.\n',
  options: ['useReadonlyTypes=true'],
});
