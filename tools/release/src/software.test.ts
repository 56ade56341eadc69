import { describe, expect, it } from 'vitest';
import { debianPackages, goModules, npmPackages, packageFolder } from './software.ts';

describe('packages of npm', () => {
  it.each([
    ['node_modules/undici/lib/client.js', 'node_modules/undici'],
    ['node_modules/@grpc/grpc-js/build/src/index.js', 'node_modules/@grpc/grpc-js'],
    ['node_modules/a/node_modules/@b/c/x.js', 'node_modules/a/node_modules/@b/c'],
    ['libs/errors/src/index.ts', undefined],
  ])('has %s in %s', (source, folder) => expect(packageFolder(source)).toBe(folder));

  it('lists each once, with version and license', async () => {
    const root = new URL('../../..', import.meta.url).pathname;
    const found = await npmPackages(root, ['node_modules/commander/index.js', 'node_modules/commander/lib/help.js']);
    expect(found).toEqual([
      {
        name: 'commander',
        version: expect.any(String),
        license: 'MIT',
        purl: expect.stringMatching(/^pkg:npm\/commander@\d/),
      },
    ]);
  });
});

it('lists installed packages of Debian, and not removed ones', () => {
  const status = `Package: libc6
Status: install ok installed
Architecture: amd64
Version: 2.36-9+deb12u10
Description: GNU C Library
 Version: 1 is not the version.

Package: gone
Status: deinstall ok config-files
Architecture: all
Version: 1:2.0
`;
  expect(debianPackages(status)).toEqual([
    { name: 'libc6', version: '2.36-9+deb12u10', purl: 'pkg:deb/debian/libc6@2.36-9%2Bdeb12u10?arch=amd64' },
  ]);
});

it('lists the modules of a Go program, with the replacement of one of them', () => {
  const text =
    '/bin/kopia: go1.26.8\n\tpath\tgithub.com/kopia/kopia\n\tmod\tgithub.com/kopia/kopia\tv0.22.3\th1:x=\n\tdep\tk8s.io/api\tv0.0.0\n\t=>\tk8s.io/api\tv0.33.1\th1:y=\n\tbuild\t-trimpath=true\n';
  expect(goModules(text)).toEqual([
    { name: 'github.com/kopia/kopia', version: 'v0.22.3', purl: 'pkg:golang/github.com/kopia/kopia@v0.22.3' },
    { name: 'k8s.io/api', version: 'v0.33.1', purl: 'pkg:golang/k8s.io/api@v0.33.1' },
  ]);
});
