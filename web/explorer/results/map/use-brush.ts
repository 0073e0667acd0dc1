/** Chooses circles of a map with the pointer: one by a click, several by a rectangle. */
import { type PointerEvent, useState } from 'react'

/** A click moves the pointer by fewer pixels. */
const MIN_SIZE = 5

interface Brush {
  /** The rectangle that is drawn, in pixels of the window. */
  area: DOMRect | undefined
  handlers: Record<'onPointerDown' | 'onPointerMove' | 'onPointerUp', (event: PointerEvent) => void>
}

/** @param onChoose receives the `data-index` of circles */
export function useBrush(onChoose: (indexes: number[], isRectangle: boolean) => void): Brush {
  const [area, setArea] = useState<DOMRect>()
  const isRectangle = area !== undefined && Math.max(area.right - area.left, area.bottom - area.top) >= MIN_SIZE
  return {
    area: isRectangle ? area : undefined,
    handlers: {
      onPointerDown: ({ button, currentTarget, pointerId, clientX, clientY }) => {
        if (button !== 0) return
        currentTarget.setPointerCapture(pointerId)
        setArea(new DOMRect(clientX, clientY))
      },
      onPointerMove: ({ clientX, clientY }) => {
        if (area) setArea(new DOMRect(area.x, area.y, clientX - area.x, clientY - area.y))
      },
      onPointerUp: ({ currentTarget, clientX, clientY }) => {
        if (!area) return
        const pointed = document.elementFromPoint(clientX, clientY)
        const circles = [...currentTarget.querySelectorAll<SVGElement>('circle')].filter(circle =>
          isRectangle ? containsCenter(area, circle.getBoundingClientRect()) : circle === pointed,
        )
        if (circles.length > 0)
          onChoose(
            circles.map(({ dataset }) => Number(dataset.index)),
            isRectangle,
          )
        setArea(undefined)
      },
    },
  }
}

function containsCenter(area: DOMRect, { left, right, top, bottom }: DOMRect): boolean {
  const [x, y] = [(left + right) / 2, (top + bottom) / 2]
  return x >= area.left && x <= area.right && y >= area.top && y <= area.bottom
}
