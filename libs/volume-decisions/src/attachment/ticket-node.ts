/**
 * The node for a ticket of the manager's own work, which any node will do for: where the volume is or is to be, else the first of those
 * that could take it by name. Undefined while there is none.
 */
export function ticketNode(
  volume: { readonly currentNodeID: string; readonly nodeID: string },
  candidates: readonly string[],
): string | undefined {
  if (volume.currentNodeID !== '') return volume.currentNodeID;
  return volume.nodeID === '' ? [...candidates].sort()[0] : volume.nodeID;
}
