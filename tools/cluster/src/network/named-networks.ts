import { run } from '../host/run.ts';

/** Names of network namespaces (`ip netns`) that are wanted. */
export async function namedNetworks(wanted: (name: string) => boolean): Promise<string[]> {
  const { stdout } = await run('ip', ['netns', 'list']);
  return stdout
    .split('\n')
    .map((line) => line.split(' ')[0] ?? '')
    .filter((name) => name !== '' && wanted(name));
}

/** Takes the name away; the namespace itself goes with its last process. A name that is gone is fine. */
export async function deleteNamedNetwork(name: string): Promise<void> {
  await run('ip', ['netns', 'delete', name], { acceptCodes: [1] });
}
