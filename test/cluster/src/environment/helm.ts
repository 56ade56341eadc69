import { join } from 'node:path';
import { ensureParts, silentProgress } from '@lateen/cluster';
import { execa } from 'execa';

const chart = join(import.meta.dirname, '..', '..', '..', '..', 'deploy', 'charts', 'lateen');

/** Runs helm against one cluster; resolves with its output. @throws with its error output */
export async function helmOf(kubeconfig: string, release: { name: string; namespace: string }) {
  const { helm = '' } = await ensureParts(['helm'], silentProgress);
  const run = async (...args: string[]): Promise<string> => {
    const { stdout, stderr, exitCode } = await execa(
      helm,
      ['--kubeconfig', kubeconfig, '-n', release.namespace, ...args],
      {
        reject: false,
        stdin: 'ignore',
      },
    );
    if (exitCode !== 0) throw new Error(`helm ${args[0]} ended with exit code ${exitCode}: ${stderr}`);
    return stdout;
  };
  const settings = (values: Readonly<Record<string, unknown>>) =>
    Object.entries(values).flatMap(([path, value]) => ['--set-json', `${path}=${JSON.stringify(value)}`]);
  return {
    install: (values: Readonly<Record<string, unknown>>) =>
      run('install', release.name, chart, '--wait', '--timeout=3m', ...settings(values)),
    upgrade: (values: Readonly<Record<string, unknown>>) =>
      run('upgrade', release.name, chart, '--wait', '--timeout=3m', '--reuse-values', ...settings(values)),
    status: () => run('status', release.name, '-o', 'json'),
    uninstall: () => run('uninstall', release.name, '--ignore-not-found', '--wait', '--timeout=3m'),
  };
}
