! Allocatable arrays, whole-array operations, and unformatted files: sums FILE
program sums
    implicit none
    integer, parameter :: n = 500
    real(8), allocatable :: a(:, :), b(:, :), c(:, :)
    character(len=500) :: path
    integer :: i, j
    call get_command_argument(1, path)
    allocate(a(n, n), b(n, n))
    do j = 1, n
        do i = 1, n
            a(i, j) = mod(i * 7 + j * 3, 11)
            b(i, j) = mod(i + j * 5, 13)
        end do
    end do
    c = transpose(a) + b
    open(10, file=trim(path), form='unformatted', access='stream', status='replace')
    write(10) c
    a = 0
    rewind(10)
    read(10) a
    close(10)
    if (any(a /= c)) stop 1
    print '(f14.1)', sum(a), maxval(matmul(a(1:60, :), b(:, 1:60)))
end program
