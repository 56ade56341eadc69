import { run } from '../host/run.ts';
import type { Link } from './link-subnet.ts';

/** The host's end of a cluster's link. Interface names have at most 15 characters. */
export const hostInterface = (id: string): string => `lt-${id}`;
const clusterInterface = 'host0';

/**
 * Makes sure that the host and the control plane's namespace are linked and know each other's address. Replaces a link with only one end
 * (its namespace is gone).
 */
export async function ensureHostLink(id: string, controlPlaneNetns: string, link: Link): Promise<void> {
  const outside = hostInterface(id);
  const inside = ['-n', controlPlaneNetns];
  if (!((await interfaceExists([], outside)) && (await interfaceExists(inside, clusterInterface)))) {
    await run('ip', ['link', 'delete', outside], { acceptCodes: [1] });
    await run('ip', [
      'link',
      'add',
      outside,
      'type',
      'veth',
      'peer',
      'name',
      clusterInterface,
      'netns',
      controlPlaneNetns,
    ]);
  }
  const at = (address: string): string => `${address}/${link.prefixLength}`;
  await run('ip', ['addr', 'replace', at(link.hostAddress), 'dev', outside]);
  await run('ip', ['link', 'set', outside, 'up']);
  await run('ip', [...inside, 'addr', 'replace', at(link.clusterAddress), 'dev', clusterInterface]);
  await run('ip', [...inside, 'link', 'set', clusterInterface, 'up']);
}

/** True if the interface exists in the namespace that `scope` (`-n NAME`) selects. */
export async function interfaceExists(scope: readonly string[], name: string): Promise<boolean> {
  return (await run('ip', [...scope, 'link', 'show', name], { acceptCodes: [0, 1] })).exitCode === 0;
}
