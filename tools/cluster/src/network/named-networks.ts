import { run } from '../host/run.ts';

/** Names of network namespaces (`ip netns`) that match. */
export async function namedNetworks(wanted: (name: string) => boolean): Promise<string[]> {
  const { stdout } = await run('ip', ['netns', 'list']);
  return stdout
    .split('\n')
    .map((line) => line.split(' ')[0] ?? '')
    .filter((name) => name !== '' && wanted(name));
}

/** Removes the name; the namespace itself ends with its last process. The name may be gone already. */
export async function deleteNamedNetwork(name: string): Promise<void> {
  await run('ip', ['netns', 'delete', name], { acceptCodes: [1] });
}
