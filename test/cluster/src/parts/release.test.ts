import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { silentProgress } from '@lateen/cluster';
import { makeRelease } from '@lateen/release';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** A release of this checkout, and its command line installed from the package in an empty folder. */
const version = '7.8.9-rc.1';
const repository = 'registry.example.io/team/lateen';
let parent = '';
let folder = '';
let files: string[] = [];
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'lateen-release-'));
  folder = join(parent, 'release');
  files = await makeRelease({ version, repository, folder, progress: silentProgress });
});
afterAll(() => rm(parent, { recursive: true, force: true }));

const file = (name: string) => join(folder, name);

describe('a release', () => {
  it('has images, chart, manifests, packages and SBOM, and nothing else', () => {
    expect(files).toEqual([
      'checksums.txt',
      `create-lateen-plugin-${version}.tgz`,
      `lateen-${version}-image.tar`,
      `lateen-${version}-sbom.cdx.json`,
      `lateen-${version}-sidecars-image.tar`,
      `lateen-${version}-storage-image.tar`,
      `lateen-chart-${version}.tgz`,
      `lateen-cli-${version}.tgz`,
      `lateen-manifests-${version}-crds-storage.yaml`,
      `lateen-manifests-${version}-crds.yaml`,
      `lateen-manifests-${version}-csi.yaml`,
      `lateen-manifests-${version}-lateen.yaml`,
      `lateen-manifests-${version}-volume-manager.yaml`,
      `lateen-plugin-${version}.tgz`,
    ]);
  });

  it('has the digest of each file', async () => {
    await execa('sha256sum', ['--check', '--strict', 'checksums.txt'], { cwd: folder });
    const lines = (await readFile(file('checksums.txt'), 'utf8')).trim().split('\n');
    expect(lines).toHaveLength(files.length - 1);
  });

  it.each([
    ['image', repository],
    ['sidecars-image', `${repository}-sidecars`],
    ['storage-image', `${repository}-storage`],
  ])('has the same %s as its manifests', async (title, name) => {
    const { stdout } = await execa('tar', ['-xOf', file(`lateen-${version}-${title}.tar`), 'index.json']);
    expect(stdout).toContain(`"${name}:${version}"`);
  });

  it('installs its own images by manifest and by chart', async () => {
    for (const name of ['lateen', 'csi', 'volume-manager']) {
      const text = await readFile(file(`lateen-manifests-${version}-${name}.yaml`), 'utf8');
      expect(text).toContain(`image: ${repository}`);
      expect(text).not.toContain('localhost/');
    }
    const of = (path: string) => execa('tar', ['-xOf', file(`lateen-chart-${version}.tgz`), `lateen/${path}`]);
    expect((await of('Chart.yaml')).stdout).toContain(`appVersion: ${version}`);
    const { stdout: values } = await of('values.yaml');
    expect(values.match(/tag: 7\.8\.9-rc\.1/g)).toHaveLength(3);
    expect(values).not.toContain('localhost/');
  });

  it('lists what is in its images: npm, Debian, Go, Node.js', async () => {
    const bom = JSON.parse(await readFile(file(`lateen-${version}-sbom.cdx.json`), 'utf8')) as {
      metadata: { component: { version: string } };
      components: { purl: string; version: string }[];
    };
    expect(bom.metadata.component.version).toBe(version);
    const purls = bom.components.map(({ purl }) => purl);
    for (const one of ['pkg:npm/%40grpc/grpc-js@', 'pkg:deb/debian/restic@', 'pkg:deb/debian/libnbd-bin@'])
      expect(purls.filter((purl) => purl.startsWith(one))).toHaveLength(1);
    expect(purls).toContain('pkg:golang/github.com/kopia/kopia@v0.22.3');
    expect(purls.some((purl) => purl.startsWith('pkg:generic/node@24.'))).toBe(true);
    expect(new Set(purls).size).toBe(purls.length);
    expect(bom.components.filter((one) => !one.version)).toEqual([]);
  });
});

describe('the command line, installed from its package', () => {
  let home = '';
  beforeAll(async () => {
    home = join(parent, 'home');
    await mkdir(home);
    // No registry is asked, because it has no dependencies.
    await execa('npm', ['install', '--offline', '--no-audit', '--no-fund', file(`lateen-cli-${version}.tgz`)], {
      cwd: home,
    });
  });
  const run = (command: string, ...words: string[]) =>
    execa(join(home, 'node_modules', '.bin', command), words, {
      env: { HOME: home, PATH: `${dirname(process.execPath)}:/usr/bin:/bin` },
      extendEnv: false,
      reject: false,
    });

  it.each(['lateen', 'kubectl-lateen'])('%s prints its release', async (command) => {
    const { stdout } = await run(command, 'version', '--client-only');
    expect(stdout).toContain(`Version: v1.18.0+lateen.${version}`);
    expect(stdout).toMatch(/Git commit: [0-9a-f]{40}/);
  });

  it('has the help of all commands', async () => {
    expect((await run('lateen', 'backup', 'create', '--help')).stdout).toContain('--include-namespaces');
  });

  it('ends quietly when its reader closes the pipe', async () => {
    const program = join(home, 'node_modules', '.bin', 'lateen');
    const script = `for i in $(seq 20); do "${program}" restore create --help | head -1; done`;
    const { stdout, stderr } = await execa('bash', ['-c', script], {
      env: { HOME: home, PATH: `${dirname(process.execPath)}:/usr/bin:/bin` },
      extendEnv: false,
    });
    expect(new Set(stdout.split('\n'))).toEqual(new Set(['Usage: lateen restore create [options] [name]']));
    expect(stderr).toBe('');
  });

  it('reports what it needs when it has no cluster', async () => {
    const { exitCode, stderr } = await run('lateen', 'backup', 'get');
    expect(stderr).toContain(`there is no kubeconfig at ${home}/.kube/config`);
    expect(exitCode).toBe(1);
  });

  it('keeps compiled code in the cache folder of the user, and runs without one', async () => {
    const cache = join(home, '.cache', 'lateen', 'compile-cache');
    expect((await execa('find', [cache, '-type', 'f'])).stdout).not.toBe('');
    const { exitCode } = await execa(
      process.execPath,
      [join(home, 'node_modules', '@lateen', 'cli', 'bin', 'lateen.mjs'), '--help'],
      { env: { HOME: '/dev/null' }, extendEnv: false, reject: false },
    );
    expect(exitCode).toBe(0);
  });

  it('rejects a Node.js that is too old, and names the version it needs', async () => {
    const launcher = await readFile(join(home, 'node_modules', '@lateen', 'cli', 'bin', 'lateen.mjs'), 'utf8');
    const old = launcher.replace('process.versions.node, 10', "'20.1.0', 10");
    expect(old).not.toBe(launcher);
    const { exitCode, stderr } = await execa(process.execPath, ['--input-type=module', '-'], {
      input: old,
      reject: false,
    });
    expect(stderr).toContain('lateen needs Node.js 22 or newer');
    expect(exitCode).toBe(1);
  });
});
