import { allProcesses, processEnvironment } from '@lateen/child-process';

/** IDs of plugin processes of this test: their temporary files are below this folder. */
export async function pidsOf(folder: string): Promise<number[]> {
  const ours = (await allProcesses()).filter(({ parentPid, zombie }) => parentPid === process.pid && !zombie);
  const facts = await Promise.all(ours.map(async ({ pid }) => ({ pid, env: await processEnvironment(pid) })));
  return facts.filter(({ env }) => env.get('TMPDIR')?.startsWith(folder)).map(({ pid }) => pid);
}
