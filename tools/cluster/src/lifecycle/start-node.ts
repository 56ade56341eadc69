import { join } from 'node:path';
import { AppError } from '@lateen/errors';
import type { ApiAccess } from '../api-server/api-request.ts';
import { ensureCgroup, findCgroups, removeEmptyCgroups } from '../host/cgroups.ts';
import { cniPluginDir } from '../host/packages.ts';
import { waitUntil } from '../host/wait-until.ts';
import { writeFileAtomically } from '../host/write-file.ts';
import { pauseImageTag } from '../images/cluster-images.ts';
import { ensureImage } from '../images/import-image.ts';
import type { ProgramImage } from '../images/program-image.ts';
import { runInMachine } from '../machine/enter-machine.ts';
import { findInit } from '../machine/find-init.ts';
import { inMachine } from '../machine/machine-paths.ts';
import { type Machine, startMachine } from '../machine/start-machine.ts';
import { type RunningProgram, startProgram } from '../machine/start-program.ts';
import { nodeAddress, nodePodSubnet } from '../network/addresses.ts';
import { ensureNodeLink, ensurePodRoutes } from '../network/node-links.ts';
import { containerdProgram, kubeletProgram, kubeProxyProgram, type NodeFiles } from '../node/node-programs.ts';
import { renderNodeFiles } from '../node/render-node-files.ts';
import type { CertificateStore } from '../pki/certificate-store.ts';
import { apiServerUrl } from './cluster-info.ts';
import { ensureDisk } from './node-disk.ts';
import { leaseIsNewer, nodeExists, nodeIsReady } from './node-ready.ts';
import { type Context, firstEnd, lastWords } from './start-control-plane.ts';

export interface RunningNode {
  index: number;
  machine: Machine;
  files: NodeFiles;
  containerd: RunningProgram;
}

const containerdTimeoutMs = 60_000;
const nodeReadyTimeoutMs = 120_000;

/** The node's machine, network and containerd, with the image that every pod needs. Needs no API server. */
export async function startNodeMachine(
  context: Context,
  index: number,
  certificates: CertificateStore,
  pauseImage: ProgramImage,
): Promise<RunningNode> {
  const { layout, state, clock, signal } = context;
  const node = layout.node(index);
  // A lost machine leaves the cgroups of its containers, and the kubelet takes seconds to process each before it starts.
  if ((await findInit(node)) === undefined) {
    for (const folder of await findCgroups((name) => name === node.uniqueName)) await removeEmptyCgroups(folder);
  }
  await ensureCgroup(node.uniqueName);
  const disks = [
    { image: join(node.dir, 'csi.img'), mountedAt: inMachine.csiStateDir },
    { image: join(node.dir, 'replicas.img'), mountedAt: inMachine.replicaDir },
  ];
  for (const { image } of disks) await ensureDisk(image);
  const files = await renderNodeFiles({
    nodeName: node.name,
    address: nodeAddress(index),
    podSubnet: nodePodSubnet(index),
    cgroupRoot: `/${node.uniqueName}`,
    apiServerUrl: apiServerUrl(state),
    pauseImage: pauseImageTag,
    cniPluginDir: await cniPluginDir(),
    certificates,
  });
  for (const [name, text] of Object.entries(files))
    await writeFileAtomically(join(node.etcDir, name), text, { secret: true });
  const machine = await startMachine({
    layout: node,
    binds: [
      { from: layout.binDir, to: inMachine.binDir },
      { from: node.etcDir, to: inMachine.etcDir },
    ],
    disks,
    ownDevices: true,
    clock,
    signal,
  });
  await ensureNodeLink(layout.controlPlane.uniqueName, node.uniqueName, index);
  await ensurePodRoutes(node.uniqueName, index, state.nodes);
  const containerd = await startProgram(machine, containerdProgram(files), clock);
  await containerdReady(machine, containerd, context);
  await ensureImage(machine, pauseImage, signal);
  return { index, machine, files, containerd };
}

/** Starts kubelet and kube-proxy; resolves when the node is Ready in the API server, with a lease of this kubelet. */
export async function startNode(node: RunningNode, context: Context, access: ApiAccess): Promise<void> {
  const { clock, signal } = context;
  const { name } = node.machine.layout;
  const startedMs = clock.now();
  const known = await nodeExists(access, name);
  const kubelet = await startProgram(node.machine, kubeletProgram(name, nodeAddress(node.index), node.files), clock);
  const proxy = await startProgram(node.machine, kubeProxyProgram(node.files), clock);
  const running = [node.containerd, kubelet, proxy];
  const ask = async () =>
    (await nodeIsReady(access, name)) &&
    (!(kubelet.launched && known) || (await leaseIsNewer(access, name, startedMs)));
  try {
    await waitUntil(ask, {
      what: `${name} is Ready`,
      timeoutMs: nodeReadyTimeoutMs,
      clock,
      signal,
      hopeless: () => firstEnd(running),
    });
  } catch (cause) {
    signal?.throwIfAborted();
    throw new AppError('NODE_NOT_READY', `${name} did not become Ready:\n${await lastWords(running)}`, {
      cause,
      nextStep: `The logs are in ${node.machine.layout.logDir}.`,
    });
  }
}

async function containerdReady(machine: Machine, containerd: RunningProgram, context: Context): Promise<void> {
  const ctr = ['ctr', '--address', inMachine.containerdSocket, '--connect-timeout', '1s', 'version'];
  try {
    await waitUntil(() => runInMachine(machine, ctr), {
      what: `containerd of ${machine.layout.name} answers`,
      timeoutMs: containerdTimeoutMs,
      clock: context.clock,
      signal: context.signal,
      hopeless: () => firstEnd([containerd]),
    });
  } catch (cause) {
    context.signal?.throwIfAborted();
    const said = await lastWords([containerd]);
    throw new AppError('CONTAINERD_NOT_READY', `containerd did not become ready:\n${said}`, { cause });
  }
}
