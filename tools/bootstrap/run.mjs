// First step of every npm script that must work immediately after `git clone`. Plain JavaScript for the Node on PATH (20 or
// later): it installs the dependencies when they are missing or older than the lock file, and then starts the pinned Node 24
// that comes with them.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const modules = join(root, 'node_modules');
const pinnedNode = join(modules, '.bin', 'node');
const stampFile = join(modules, '.lateen-install');

const major = Number(process.versions.node.split('.')[0]);
if (major < 20) fail(`Node ${process.versions.node} is too old. Install Node 20 or later and run the command again.`);
if (process.platform !== 'linux' || process.arch !== 'x64')
  fail(
    `this checkout needs linux/x64 (the pinned Node and the cluster parts are built for it), not ${process.platform}/${process.arch}.`,
  );

const stamp = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .digest('hex');
if (!existsSync(stampFile) || !existsSync(pinnedNode) || readFileSync(stampFile, 'utf8') !== stamp) {
  console.error('lateen: installing npm dependencies (about a minute the first time) …');
  const result = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  if (result.error) fail(`npm could not be started: ${result.error.message}. Install npm and run the command again.`);
  if (result.status !== 0) fail(`npm ci ended with exit code ${result.status}. Its output is above.`);
  writeFileSync(stampFile, stamp);
}

const child = spawn(pinnedNode, [join(root, process.argv[2]), ...process.argv.slice(3)], {
  stdio: 'inherit',
  env: {
    ...process.env,
    PATH: `${join(modules, '.bin')}:${process.env.PATH}`,
    NX_DAEMON: 'false',
    NX_ISOLATE_PLUGINS: 'false',
  },
});
// A terminal sends Ctrl-C to the whole process group; the started program cleans up and decides the exit code.
for (const name of ['SIGINT', 'SIGTERM']) process.on(name, () => child.kill(name));
child.on('error', (error) => fail(error.message));
child.on('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));

function fail(message) {
  console.error(`lateen: ${message}`);
  process.exit(1);
}
