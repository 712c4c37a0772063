! Two processes pass 2 integers to and fro, 50 times; each round trip is a line of CSV. The same as
! mpi_pingpong.c.
!
!   mpifort -O2 -o mpi_pingpong examples/mpi/mpi_pingpong.f90
!   mpirun -n 2 ./mpi_pingpong [INTEGERS [TRIPS]]
program mpi_pingpong
  use mpi
  implicit none
  integer, allocatable :: message(:)
  double precision, allocatable :: us(:)
  double precision :: before
  integer :: failed, rank, ranks, integers, trips, trip
  call MPI_Init(failed)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, failed)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, failed)
  if (ranks /= 2) call refuse('two processes are needed: mpirun -n 2')
  integers = argument(1, 2, 0)
  trips = argument(2, 50, 1)
  allocate(message(integers), us(trips))
  message = 0
  do trip = 1, trips
    if (rank == 0) then
      before = MPI_Wtime()
      call MPI_Send(message, integers, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, failed)
      call MPI_Recv(message, integers, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, &
                    MPI_STATUS_IGNORE, failed)
      us(trip) = (MPI_Wtime() - before) * 1d6
    else
      call MPI_Recv(message, integers, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, &
                    MPI_STATUS_IGNORE, failed)
      call MPI_Send(message, integers, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, failed)
    end if
  end do
  if (rank == 0) then
    print '(a)', 'trip,integers,us'
    do trip = 1, trips
      print '(i0,",",i0,",",a)', trip, integers, decimal(us(trip))
    end do
  end if
  call MPI_Finalize(failed)

contains

  ! The whole number at this place of the command line, or the usual one.
  integer function argument(place, usual, least)
    integer, intent(in) :: place, usual, least
    character(len=32) :: text
    integer :: wrong
    argument = usual
    if (command_argument_count() < place) return
    call get_command_argument(place, text)
    read(text, *, iostat=wrong) argument
    if (wrong /= 0 .or. argument < least) &
      call refuse('not a number that is possible here: '//trim(text))
  end function argument

  ! With three digits behind the point and one at least before it.
  function decimal(value) result(text)
    double precision, intent(in) :: value
    character(len=:), allocatable :: text
    character(len=32) :: wide
    write(wide, '(f32.3)') value
    text = trim(adjustl(wide))
  end function decimal

  subroutine refuse(why)
    use, intrinsic :: iso_fortran_env, only: error_unit
    character(len=*), intent(in) :: why
    if (rank == 0) write(error_unit, '(a)') why
    call MPI_Finalize(failed)
    stop 2, quiet=.true.
  end subroutine refuse

end program mpi_pingpong
