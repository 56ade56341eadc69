import { execa } from 'execa';

const apiServerPort = '6443';

/** The node's own packets, and those of its pods; each with the address of the API server itself by then. */
const rules = [
  ['OUTPUT', '--dport'],
  ['INPUT', '--sport'],
  ['FORWARD', '--dport'],
  ['FORWARD', '--sport'],
] as const;

/**
 * Drops every packet between the node and the API server, without a word to anybody: connections stay open and say nothing. All
 * other traffic goes on, also with the object store. `netns` is the node's network namespace. Returns how to end that; safe to
 * repeat.
 */
export async function cutFromApiServer(netns: string): Promise<() => Promise<void>> {
  const all = async (action: '-I' | '-D') => {
    for (const [chain, side] of rules) {
      const rule = [action, chain, '-p', 'tcp', side, apiServerPort, '-j', 'DROP'];
      await execa('ip', ['netns', 'exec', netns, 'iptables', '-w', ...rule]);
    }
  };
  await all('-I');
  let isCut = true;
  return async () => {
    if (!isCut) return;
    isCut = false;
    await all('-D');
  };
}
