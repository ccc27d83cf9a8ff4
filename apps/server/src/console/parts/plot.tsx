import type { FC } from "hono/jsx";
import { counted, numberText, shortDayText } from "../words.ts";

/** One bar: a day in wall milliseconds, and how much. */
export interface Bar {
  readonly atMs: number;
  readonly value: number;
}

const width = 720;
const height = 168;
const top = 20;
const base = 140;

/**
 * Bars by day, drawn on the server: they are there with the page, need no script and print. The
 * highest is named; a person who cannot see them gets the same from the table behind them.
 */
export const DayPlot: FC<{ bars: readonly Bar[]; label: string; noun: string }> = ({
  bars,
  label,
  noun,
}) => {
  const most = Math.max(1, ...bars.map(({ value }) => value));
  const step = width / Math.max(1, bars.length);
  const total = bars.reduce((sum, { value }) => sum + value, 0);
  const heightOf = (value: number): number => (value / most) * (base - top);
  return (
    <figure class="plot">
      <svg
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={`${label}: ${counted(total, noun)} in ${counted(bars.length, "day")}`}
      >
        <line class="grid" x1="0" x2={width} y1={top} y2={top} />
        <line class="grid" x1="0" x2={width} y1={(top + base) / 2} y2={(top + base) / 2} />
        <line class="axis" x1="0" x2={width} y1={base} y2={base} />
        <text class="tick" x="0" y={top - 6}>
          {numberText(most)}
        </text>
        {bars.map(({ atMs, value }, index) => (
          <rect
            class={value === 0 ? "bar none" : "bar"}
            x={(index * step + step * 0.14).toFixed(1)}
            width={(step * 0.72).toFixed(1)}
            y={(base - Math.max(value === 0 ? 1 : 2, heightOf(value))).toFixed(1)}
            height={Math.max(value === 0 ? 1 : 2, heightOf(value)).toFixed(1)}
            rx="2"
          >
            <title>{`${shortDayText(atMs)}: ${counted(value, noun)}`}</title>
          </rect>
        ))}
        {bars
          .map((bar, index) => ({ bar, index }))
          .filter(({ index }) => index % 7 === (bars.length - 1) % 7)
          .map(({ bar, index }) => (
            <text
              class="tick"
              x={Math.min(width - 2, index * step + step / 2).toFixed(1)}
              y={base + 18}
              text-anchor={index > bars.length - 2 ? "end" : "middle"}
            >
              {shortDayText(bar.atMs)}
            </text>
          ))}
      </svg>
      <figcaption>
        {label}: {counted(total, noun)}.
      </figcaption>
    </figure>
  );
};

/** How much of something is used up. */
export const Meter: FC<{ used: number; max: number; text: string; label: string }> = ({
  used,
  max,
  text,
  label,
}) => {
  const share = Math.min(1, max === 0 ? 1 : used / max);
  return (
    <div class="meter">
      <svg
        viewBox="0 0 200 8"
        preserveAspectRatio="none"
        role="img"
        aria-label={`${label}: ${text}`}
      >
        <rect class="rail" width="200" height="8" rx="4" />
        <rect
          class={share > 0.9 ? "fill full" : "fill"}
          width={Math.max(2, share * 200).toFixed(1)}
          height="8"
          rx="4"
        />
      </svg>
      <span>{text}</span>
    </div>
  );
};
