/**
 * The node for a ticket of the manager's own work, which can run on any node: the node of the volume now or soon, else the first by name of
 * those that could attach it. Undefined while there is none.
 */
export function ticketNode(
  volume: { readonly currentNodeID: string; readonly nodeID: string },
  candidates: readonly string[],
): string | undefined {
  if (volume.currentNodeID !== '') return volume.currentNodeID;
  return volume.nodeID === '' ? [...candidates].sort()[0] : volume.nodeID;
}
