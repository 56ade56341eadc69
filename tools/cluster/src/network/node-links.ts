import { run } from '../host/run.ts';
import { clusterNetwork, nodeAddress, nodePodSubnet } from './addresses.ts';
import { interfaceExists } from './host-link.ts';

const bridge = 'nodes0';
const nodeInterface = 'eth0';
const portName = (index: number): string => `to-node-${index}`;

/** `ip` in batch mode: one process for many commands. Every command must be repeatable. */
async function ipBatch(netns: string, commands: readonly string[]): Promise<void> {
  await run('ip', ['-n', netns, '-batch', '-'], { input: `${commands.join('\n')}\n` });
}

/** The bridge in the control plane's namespace that connects all nodes. Safe to repeat. */
export async function ensureBridge(netns: string): Promise<void> {
  if (!(await interfaceExists(['-n', netns], bridge)))
    await run('ip', ['-n', netns, 'link', 'add', bridge, 'type', 'bridge']);
  const { controlPlaneAddress, prefixLength } = clusterNetwork;
  await ipBatch(netns, [`addr replace ${controlPlaneAddress}/${prefixLength} dev ${bridge}`, `link set ${bridge} up`]);
}

/** Connects a node to the bridge, with its address and the default route through the control plane. Safe to repeat. */
export async function ensureNodeLink(controlPlaneNetns: string, nodeNetns: string, index: number): Promise<void> {
  const port = portName(index);
  const control = ['-n', controlPlaneNetns];
  const whole = (await interfaceExists(control, port)) && (await interfaceExists(['-n', nodeNetns], nodeInterface));
  if (!whole) {
    await run('ip', [...control, 'link', 'delete', port], { acceptCodes: [1] });
    await run('ip', [
      ...control,
      'link',
      'add',
      port,
      'type',
      'veth',
      'peer',
      'name',
      nodeInterface,
      'netns',
      nodeNetns,
    ]);
  }
  await ipBatch(controlPlaneNetns, [
    `link set ${port} master ${bridge}`,
    `link set ${port} up`,
    `route replace ${nodePodSubnet(index)} via ${nodeAddress(index)}`,
  ]);
  await ipBatch(nodeNetns, [
    `addr replace ${nodeAddress(index)}/${clusterNetwork.prefixLength} dev ${nodeInterface}`,
    `link set ${nodeInterface} up`,
    `route replace default via ${clusterNetwork.controlPlaneAddress}`,
    `route replace unreachable ${clusterNetwork.dnsServiceAddress}/32`,
  ]);
}

/** Routes to pods of other nodes, directly through those nodes. Safe to repeat. */
export async function ensurePodRoutes(nodeNetns: string, index: number, nodes: number): Promise<void> {
  const others = Array.from({ length: nodes }, (_, at) => at + 1).filter((other) => other !== index);
  if (others.length === 0) return;
  const routes = others.map((other) => `route replace ${nodePodSubnet(other)} via ${nodeAddress(other)}`);
  await ipBatch(nodeNetns, routes);
}
