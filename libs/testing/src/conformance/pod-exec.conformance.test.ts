import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { aPod } from '../builders/workloads.ts';
import { fakeCluster } from '../cluster/fake-cluster.ts';
import type { PodProgram } from '../cluster/pod-exec.ts';
import { describePodExec } from './describe-pod-exec.ts';

/** The containers of this cluster run the programs of this machine. */
const programOfThisMachine: PodProgram = async ({ command: [file = '', ...args], stdin, write, writeError, gone }) => {
  const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'pipe'], signal: gone });
  child.stdout.on('data', (chunk) => write(String(chunk)));
  child.stderr.on('data', (chunk) => writeError(String(chunk)));
  if (stdin === undefined) child.stdin.end();
  else stdin.pipe(child.stdin);
  try {
    const [exitCode] = await once(child, 'close');
    return exitCode;
  } catch {
    // The exit code of a shell for a missing program.
    return 127;
  }
};

describePodExec('the fake cluster', async () => {
  const pod = { namespace: 'default', name: 'app' };
  const cluster = fakeCluster({ objects: [aPod({ ...pod, phase: 'Running' })] });
  cluster.podExec.play(programOfThisMachine);
  return {
    exec: cluster.podExec,
    pod,
    container: 'main',
    endPod: () => void cluster.setPodPhase(pod, 'Failed'),
    close: async () => {},
  };
});
