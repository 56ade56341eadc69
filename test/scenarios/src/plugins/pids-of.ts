import { allProcesses, processEnvironment } from '@lateen/child-process';

/** Processes that we started for programs of this folder: their temporary files are below it. */
export async function pidsOf(folder: string): Promise<number[]> {
  const ours = (await allProcesses()).filter(({ parentPid, zombie }) => parentPid === process.pid && !zombie);
  const facts = await Promise.all(ours.map(async ({ pid }) => ({ pid, env: await processEnvironment(pid) })));
  return facts.filter(({ env }) => env.get('TMPDIR')?.startsWith(folder)).map(({ pid }) => pid);
}
