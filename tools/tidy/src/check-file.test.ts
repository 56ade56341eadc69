import { describe, expect, it } from 'vitest';
import { checkFile } from './check-file.ts';

describe('the house rules', () => {
  it.each([
    ['const t = Date.now();', 'Date.now()'],
    ['await new Promise((r) => setTimeout(r, 5));', 'setTimeout'],
    ['const s = AbortSignal.timeout(5);', 'AbortSignal.timeout'],
    ['const d = new Date();', 'new Date()'],
    ['const n = Math.random();', 'Math.random'],
    ['const u = crypto.randomUUID();', 'randomUUID'],
  ])('find %s', (text, name) => {
    expect(checkFile('libs/exposer/src/x.ts', text)).toEqual([
      expect.stringContaining(`libs/exposer/src/x.ts:1: ${name}`),
    ]);
  });
  it('allow the kernel to use the clock', () => {
    expect(checkFile('libs/kernel/src/clock.ts', 'export const now = () => Date.now();')).toEqual([]);
  });
  it('do not report prose, strings or fixed dates as calls', () => {
    const text = "// never Date.now()\nexport const a = 'Math.random()';\nexport const b = new Date(0);\n";
    expect(checkFile('libs/exposer/src/x.ts', text)).toEqual([]);
  });
  it('report catch-all files, long files, long functions and unfinished work', () => {
    expect(checkFile('libs/exposer/src/utils.ts', '')).toHaveLength(1);
    expect(checkFile('libs/exposer/src/x.ts', 'export {};\n'.repeat(251))).toHaveLength(1);
    expect(checkFile('libs/exposer/src/x.ts', `function f() {\n${'  g();\n'.repeat(70)}}\n`)).toHaveLength(1);
    expect(checkFile('libs/exposer/src/x.ts', `// ${'TO'}${'DO'} later\n`)).toHaveLength(1);
  });
  it('prevent test files from importing each other, which would count tests twice', () => {
    const found = [expect.stringContaining('libs/volume/src/x.test.ts: ../y.test.ts is a test file')];
    for (const text of [
      "import { a } from '../y.test.ts';",
      "export * from '../y.test.ts';",
      "import('../y.test.ts');",
    ])
      expect(checkFile('libs/volume/src/x.test.ts', text)).toEqual(found);
    expect(checkFile('libs/volume/src/x.test.ts', "// import '../y.test.ts';\nimport '../y-test.ts';\n")).toEqual([]);
  });
  it('allow only one library, tools and tests to start processes', () => {
    const text = "import { spawn } from 'node:child_process';\n";
    for (const path of ['libs/uploader/src/x.ts', 'apps/controller/src/x.ts'])
      for (const starter of [text, "import { execa } from 'execa';\n", "await import('node:child_process');\n"])
        expect(checkFile(path, starter)).toEqual([expect.stringContaining('run programs with childRunner')]);
    for (const path of [
      'libs/child-process/src/x.ts',
      'libs/uploader/src/x.test.ts',
      'tools/image/src/x.ts',
      'bench/src/x.ts',
    ])
      expect(checkFile(path, text)).toEqual([]);
  });
  it.each([
    "const e = { type: 'fuse', id };",
    'const e = { "type": "fuse" };',
    "const args = ['--export', 'type=fuse,id=e'];",
    'const args = [`--export type=fuse,mountpoint=$' + '{path}`];',
    "args.set('type', 'fuse');",
    "// block-export-add type: 'fuse' is quick to write",
  ])('report an export that corrupts data in apps, libraries, tools and benchmarks: %s', (text) => {
    for (const path of ['apps/instance-manager/src/x.ts', 'libs/qemu-storage/src/x.ts', 'bench/src/x.ts'])
      expect(checkFile(path, text)).toEqual([expect.stringContaining('x.ts:1: an export of that kind corrupts data')]);
  });
  it('do not report nbdfuse, or code that rejects such an export', () => {
    const text = "if (key === 'type' && value === 'fuse') refuse();\nconst kind = { type: 'nbdfuse' };\n";
    expect(checkFile('libs/qemu-storage/src/x.ts', text)).toEqual([]);
  });
  it('forbid process.env in libraries and not in apps', () => {
    expect(checkFile('libs/exposer/src/x.ts', 'export const e = process.env.X;')).toHaveLength(1);
    expect(checkFile('apps/cli/src/main.ts', 'export const e = process.env.X;')).toEqual([]);
  });
});
