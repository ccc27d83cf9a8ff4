/** The injected clock as jose takes it, so that no check of a token asks the machine for the time. */
export function joseDate(clock: { nowMs(): number }): Date {
  // oxlint-disable-next-line no-restricted-globals -- a conversion; the time itself is injected
  return new Date(clock.nowMs());
}
