import { execa } from 'execa';

const apiServerPort = '6443';
/** The interface by which a node of the cluster tool reaches everybody else. */
const nodeInterface = 'eth0';

/** The node's own packets, and those of its pods; each with the address of the API server itself by then. */
const toApiServer = [
  ['OUTPUT', '-p', 'tcp', '--dport', apiServerPort],
  ['INPUT', '-p', 'tcp', '--sport', apiServerPort],
  ['FORWARD', '-p', 'tcp', '--dport', apiServerPort],
  ['FORWARD', '-p', 'tcp', '--sport', apiServerPort],
] as const;

const toAnybody = [
  ['OUTPUT', '-o', nodeInterface],
  ['INPUT', '-i', nodeInterface],
  ['FORWARD', '-o', nodeInterface],
  ['FORWARD', '-i', nodeInterface],
] as const;

/**
 * Drops every packet between the node and the API server, without a word to anybody: connections stay open and say nothing. All
 * other traffic continues, also with the object store. `netns` is the node's network namespace. Returns how to end that; safe to
 * repeat.
 */
export const cutFromApiServer = (netns: string): Promise<() => Promise<void>> => drop(netns, toApiServer);

/** The same between the node and everything that is not on it: other nodes, the API server, the object store. */
export const cutFromAll = (netns: string): Promise<() => Promise<void>> => drop(netns, toAnybody);

async function drop(netns: string, rules: readonly (readonly string[])[]): Promise<() => Promise<void>> {
  const all = async (action: '-I' | '-D') => {
    for (const [chain = '', ...match] of rules)
      await execa('ip', ['netns', 'exec', netns, 'iptables', '-w', action, chain, ...match, '-j', 'DROP']);
  };
  await all('-I');
  let isCut = true;
  return async () => {
    if (!isCut) return;
    isCut = false;
    await all('-D');
  };
}
