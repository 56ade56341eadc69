// Regenerates src/generated from proto. Run by hand, on a machine with npm:
//   node libs/repository-session/generate.mjs
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { generate } from '../../tools/protobuf/generate.mjs';

const proto = join(import.meta.dirname, 'proto');

generate({
  place: ({ work }) => cpSync(proto, join(work, 'in'), { recursive: true }),
  wanted: ['repository-server.ts'],
  target: join(import.meta.dirname, 'src/generated'),
  header: '// Generated from proto/repository-server.proto. Do not edit: see generate.mjs.\n',
  options: ['useReadonlyTypes=true', 'oneof=unions-value'],
});
