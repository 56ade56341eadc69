import { execa } from 'execa';

const apiServerPort = '6443';
/** The network interface of a node of the cluster tool to everything else. */
const nodeInterface = 'eth0';

/** Packets of the node and of its pods; both have the real address of the API server at this point. */
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
 * Drops every packet between the node and the API server: connections stay open and receive nothing. All other traffic continues, also with
 * the object store. `netns` is the node's network namespace. Returns a function that ends it; repeating it is safe.
 */
export const cutFromApiServer = (netns: string): Promise<() => Promise<void>> => drop(netns, toApiServer);

/** The same between the node and everything outside it: other nodes, the API server, the object store. */
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
