/** How an attached volume is offered to its node. Ours is blockdev; the empty string stands for none. */
export const frontends = ['blockdev', 'iscsi', 'nvmf', 'ublk', ''] as const;
export type Frontend = (typeof frontends)[number];
