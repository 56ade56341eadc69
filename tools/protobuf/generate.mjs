// Generates TypeScript from proto files, the same way for every service: with ts-proto and buf, from npm by pinned version, only in a
// temporary directory, so neither is a dependency of the project. Used by the generate.mjs beside the code of each proto file.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const tsProto = 'ts-proto@2.18.0';
const buf = '@bufbuild/buf@1.75.0';

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

/**
 * @param {object} how
 * @param {(context: { work: string, run: Function }) => void} how.place puts proto files into `work`/in
 * @param {string[]} how.wanted files of the result to keep
 * @param {string} how.target folder for them
 * @param {string} how.header first lines of each, comments
 * @param {string[]} [how.options] more options of ts-proto
 */
export function generate({ place, wanted, target, header, options: more = [] }) {
  const work = mkdtempSync(join(tmpdir(), 'proto-generate-'));
  try {
    const run = (command, args, env = {}) =>
      execFileSync(command, args, { cwd: work, encoding: 'utf8', env: { ...process.env, ...env } });
    writeFileSync(join(work, 'package.json'), '{"private":true}');
    run('npm', ['install', '--no-audit', '--no-fund', tsProto, buf]);
    place({ work, run });
    writeFileSync(join(work, 'buf.yaml'), 'version: v2\nmodules:\n  - path: in\n');
    const plugin = { local: ['node', 'node_modules/.bin/protoc-gen-ts_proto'], out: 'out', opt: [...options, ...more] };
    writeFileSync(join(work, 'buf.gen.yaml'), JSON.stringify({ version: 'v2', plugins: [plugin] }));
    run('node', ['node_modules/.bin/buf', 'generate']);
    for (const file of wanted) {
      cpSync(join(work, 'out', file), join(target, file));
      writeFileSync(join(target, file), header + readFileSync(join(target, file), 'utf8'));
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
